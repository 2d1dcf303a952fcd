import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { parseSshKey } from './parseKey.ts';

// The thread that opens one key with a passphrase: the stretching would keep everybody else waiting.
const { privateKey, passphrase } = z.object({ privateKey: z.string(), passphrase: z.string() }).parse(workerData);
parentPort?.postMessage(parseSshKey(privateKey, passphrase));
