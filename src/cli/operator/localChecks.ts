import { access, constants, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Config } from '../../config.ts';
import { findWorkerdBinary } from '../../platform/edge/workerd/binary.ts';
import { freeBytes, leastFreeBytes } from '../../platform/node/diskRoom.ts';
import { version } from '../../version.ts';
import { messageOf } from '../messageOf.ts';
import { type Check, down, ok, warn } from '../operations/doctor.ts';

/** What can be told without opening a store: this machine, the data folder, the ports. */
export const localChecks = async (config: Config, dataDir: string, isServing: boolean): Promise<readonly Check[]> => [
  ok('Opslog', version),
  checkNode(),
  checkRuntime(),
  ...(await checkFolder(dataDir)),
  ...(isServing
    ? []
    : [
        await checkPort('API port', config.host, config.port, 'OPSLOG_PORT'),
        await checkPort('edge port', config.edge.host, config.edge.port, 'OPSLOG_EDGE_PORT'),
      ]),
];

const oldest = [20, 19];

const checkNode = (): Check => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = oldest;
  const fits = major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
  const detail = `${process.version} on ${process.platform} ${process.arch}`;
  return fits ? ok('Node.js', detail) : down('Node.js', detail, `Install Node.js ${oldest.join('.')} or newer.`);
};

const checkRuntime = (): Check => {
  try {
    findWorkerdBinary();
    return ok('workerd', 'installed');
  } catch (error) {
    return down('workerd', messageOf(error), 'Run "npm ci" again on a platform that workerd supports.');
  }
};

const littleSpaceBytes = 1024 ** 3;

const checkFolder = async (dataDir: string): Promise<readonly Check[]> => {
  const there = await stat(dataDir).catch(() => undefined);
  if (there === undefined) return [ok('data folder', `${dataDir} is not there yet; "opslog serve" creates it`)];
  if (!there.isDirectory()) return [down('data folder', `${dataDir} is not a folder`, 'Name another with --data.')];
  const writable = await access(dataDir, constants.W_OK).then(
    () => true,
    () => false,
  );
  const free = await freeBytes(dataDir);
  const gigabytes = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
  return [
    writable
      ? ok('data folder', dataDir)
      : down('data folder', `${dataDir} cannot be written`, 'Give this user the right to write there.'),
    diskCheck(free, gigabytes),
  ];
};

const diskCheck = (free: number, shown: string): Check => {
  const hint = 'Make room: the event store stops taking events when the disk is full.';
  if (free < leastFreeBytes) return down('disk', shown, hint);
  return free < littleSpaceBytes ? warn('disk', shown, hint) : ok('disk', shown);
};

const portHint = (error: NodeJS.ErrnoException, variable: string): string =>
  error.code === 'EADDRINUSE'
    ? `If that is an Opslog with another data folder, name it with --data; else stop it, or set ${variable}.`
    : `Set ${variable}.`;

const checkPort = (name: string, host: string, port: number, variable: string): Promise<Check> =>
  new Promise((resolve) => {
    if (port === 0) return resolve(ok(name, 'any free one'));
    const server = createServer();
    server.once('error', (error) =>
      resolve(warn(name, `${host}:${port}: ${messageOf(error)}`, portHint(error, variable))),
    );
    server.listen(port, host, () => server.close(() => resolve(ok(name, `${host}:${port} is free`))));
  });
