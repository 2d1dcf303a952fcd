import { pino } from 'pino';
import type { Log } from './port.ts';

/** JSON lines on standard error, so that standard output belongs to what a command answers. */
export const createLog = (level: string): Log =>
  pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ dest: 2, sync: false }));
