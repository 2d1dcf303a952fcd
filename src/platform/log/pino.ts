import { pino } from 'pino';
import { describedError, type Log } from './port.ts';

const options = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  serializers: { err: describedError, error: describedError },
};

/** JSON lines on standard error, so that standard output belongs to what a command answers. */
export const createLog = (level: string): Log =>
  pino({ ...options, level }, pino.destination({ dest: 2, sync: false }));
