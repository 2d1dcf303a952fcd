import { append } from './append.ts';
import { appendPipe } from './appendPipe.ts';
import { connect } from './connection.ts';
import { AppendRefused, EventLogUnavailable } from './errors.ts';
import { type Ports, systemSleep } from './patience.ts';
import type { EventLog } from './port.ts';
import { end, head, type ReadParts, readAll, readAllBatches, readStream, subscribe } from './read.ts';
import { sharing } from './shared.ts';
import { slots } from './slots.ts';

export type EventLogOptions = Partial<Ports> & {
  /** `esdb://…` or `esdb+discover://…`, credentials and options included. */
  readonly connectionString: string;
  /** How long a call waits for a log that does not answer before it throws EventLogUnavailable. */
  readonly giveUpAfterMs?: number;
  /** How long one attempt of an append waits for its answer. */
  readonly answerWithinMs?: number;
};

const MOST_IN_FLIGHT = 512;
const MOST_BYTES_IN_FLIGHT = 16 * 1024 * 1024;

/** Connects when first used. Throws for a connection string that cannot be read. */
export const openEventLog = async (options: EventLogOptions): Promise<EventLog> => {
  const { connectionString, giveUpAfterMs = 15_000, answerWithinMs = 10_000, log } = options;
  const { now = () => performance.now(), random = Math.random, sleep = systemSleep } = options;
  const ports: Ports = { now, random, sleep, log };
  const connection = connect(connectionString);
  const closing = new AbortController();
  const reading: ReadParts = { connection, ports, giveUpAfterMs, closed: closing.signal };
  const pipe = appendPipe(connection, answerWithinMs);
  const appending = {
    pipe,
    slots: slots(MOST_IN_FLIGHT, MOST_BYTES_IN_FLIGHT),
    ports,
    readStream: readStream(reading),
    giveUpAfterMs,
    closed: closing.signal,
  };
  return {
    append: (stream, events, expected) => append(appending, stream, events, expected),
    readStream: readStream(reading),
    readAll: readAll(reading),
    readAllBatches: readAllBatches(reading),
    subscribe: sharing(subscribe(reading)),
    head: () => head(reading),
    end: () => end(reading),
    keepNewest: async (stream, count) => {
      const event = { id: crypto.randomUUID(), type: '$metadata', data: { $maxCount: count }, metadata: {} };
      const outcome = await append(appending, `$$${stream}`, [event], 'any');
      if (!outcome.ok) throw new AppendRefused(`The stream ${stream} is deleted`);
    },
    close: async () => {
      closing.abort(new EventLogUnavailable('The event log is closed'));
      pipe.close();
      await connection.close();
    },
  };
};
