import { randomUUID } from 'node:crypto';
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import { ClusterInfo, EndPoint, MemberInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import { SupportedMethod, SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import { type Empty, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import { requireAccessKey } from './accessKey.ts';
import { handleAppend, handleDelete, handleTombstone } from './appendCall.ts';
import { handleBatchAppend } from './batchAppendCall.ts';
import { decodeBatchAppend } from './batchAppendRequest.ts';
import { lockFolder } from './folderLock.ts';
import { MAX_APPEND_BYTES } from './proposed.ts';
import { handleRead } from './readCall.ts';
import { openStore } from './store.ts';
import { startWriter } from './writer.ts';

export type EventStoreOptions = {
  readonly dataDir: string;
  /** 0 takes any free port. */
  readonly port?: number;
  readonly host?: string;
  /** Streams are for those who send it as their connection name; the connection string carries it. Open to all without. */
  readonly accessKey?: string;
  /** Milliseconds since the epoch: stamps events and judges $maxAge. */
  readonly now?: () => number;
  /** For tests only: with false, what was acknowledged survives the end of the process, but not of the machine. */
  readonly syncToDisk?: boolean;
};

export type RunningEventStore = {
  readonly port: number;
  readonly connectionString: string;
  /** A consistent copy of the store into an empty folder, while writing goes on. */
  copyTo(folder: string): Promise<void>;
  /** Answers what is under way, ends every call and gives the data folder back. */
  close(): Promise<void>;
};

const SERVER_VERSION = '23.10.8';
/** A real server's limit for one record, which is also its limit for one message. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024 - 10_000;
const FLOW_CONTROL_BYTES = 1024 * 1024;
const LEADER = MemberInfo.VNodeState.LEADER;

const asIs = (response: Buffer): Buffer => response;

/** Read and BatchAppend answer with bytes that are encoded already; a BatchAppend is read by hand. */
const streamsService = {
  ...StreamsService,
  read: { ...StreamsService.read, responseSerialize: asIs },
  batchAppend: { ...StreamsService.batchAppend, requestDeserialize: decodeBatchAppend, responseSerialize: asIs },
};

const FEATURES: Readonly<Record<string, readonly string[]>> = {
  [StreamsService.read.path]: ['position', 'events'],
  [StreamsService.batchAppend.path]: ['deadline_duration'],
};

const supportedMethods = (): SupportedMethods => {
  const services = [StreamsService, ServerFeaturesService, GossipService];
  const paths = services.flatMap((service) => Object.values(service).map(({ path }) => path));
  const methods = paths.map((path) => {
    const [service = '', name = ''] = path.slice(1).split('/');
    const method = new SupportedMethod();
    method.setServiceName(service.toLowerCase());
    method.setMethodName(name.toLowerCase());
    method.setFeaturesList([...(FEATURES[path] ?? [])]);
    return method;
  });
  const answer = new SupportedMethods();
  answer.setEventStoreServerVersion(SERVER_VERSION);
  answer.setMethodsList(methods);
  return answer;
};

const gossip = (instanceId: string, host: string, port: number, now: number): ClusterInfo => {
  const id = new UUID();
  id.setString(instanceId);
  const endPoint = new EndPoint();
  endPoint.setAddress(host);
  endPoint.setPort(port);
  const member = new MemberInfo();
  member.setInstanceId(id);
  member.setTimeStamp(`${now}0000`);
  member.setState(LEADER);
  member.setIsAlive(true);
  member.setHttpEndPoint(endPoint);
  const cluster = new ClusterInfo();
  cluster.setMembersList([member]);
  return cluster;
};

const commitBroadcast = () => {
  const actions = new Set<() => void>();
  return {
    onCommit: (action: () => void) => {
      actions.add(action);
      return () => void actions.delete(action);
    },
    committed: () => {
      for (const action of actions) action();
    },
  };
};

const bind = (server: Server, address: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });

/**
 * An event store in this thread that speaks the EventStoreDB protocol over gRPC without TLS. Appends are on disk when
 * they are acknowledged. Throws DataFolderInUse, and the system's error when the port is taken.
 */
export const startEventStore = async (options: EventStoreOptions): Promise<RunningEventStore> => {
  const { dataDir, port: wanted = 0, host = '127.0.0.1', now = Date.now, syncToDisk = true, accessKey } = options;
  const unlock = await lockFolder(dataDir);
  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': -1,
    'grpc-node.flow_control_window': FLOW_CONTROL_BYTES,
    interceptors: accessKey === undefined ? [] : [requireAccessKey(accessKey)],
  });
  const store = await openStore(dataDir, syncToDisk).catch(async (error: unknown) => {
    await unlock();
    throw error;
  });
  const { onCommit, committed } = commitBroadcast();
  const writer = startWriter(store, now, committed);
  const instanceId = randomUUID();
  let port = wanted;

  server.addService(streamsService, {
    read: handleRead({ store, now, onCommit }),
    append: handleAppend(writer, MAX_APPEND_BYTES),
    batchAppend: handleBatchAppend(writer, MAX_APPEND_BYTES, now),
    delete: handleDelete(writer),
    tombstone: handleTombstone(writer),
  });
  server.addService(ServerFeaturesService, {
    getSupportedMethods: (_call: ServerUnaryCall<Empty, SupportedMethods>, answer: sendUnaryData<SupportedMethods>) =>
      answer(null, supportedMethods()),
  });
  server.addService(GossipService, {
    read: (_call: ServerUnaryCall<Empty, ClusterInfo>, answer: sendUnaryData<ClusterInfo>) =>
      answer(null, gossip(instanceId, host, port, now())),
  });

  const release = async (): Promise<void> => {
    await writer.drain();
    await store.close();
    await unlock();
  };
  try {
    port = await bind(server, `${host}:${wanted}`);
  } catch (error) {
    await release();
    throw error;
  }
  return {
    port,
    connectionString: `esdb://${host}:${port}?tls=false${accessKey === undefined ? '' : `&connectionName=${accessKey}`}`,
    copyTo: (folder) => store.copyTo(folder),
    close: async () => {
      await writer.drain();
      server.forceShutdown();
      await release();
    },
  };
};
