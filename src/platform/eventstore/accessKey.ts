import { createHash, timingSafeEqual } from 'node:crypto';
import { Metadata, ServerInterceptingCall, type ServerInterceptor, ServerListenerBuilder, status } from '@grpc/grpc-js';

const guarded = '/event_store.client.streams.';
/** The client sends no credentials without TLS, but it does send its name: the one thing a connection string can carry. */
const header = 'connection-name';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Lets nobody read or write streams who does not know the key: other users of a machine reach its loopback too. */
export const requireAccessKey = (key: string): ServerInterceptor => {
  const expected = digest(key);
  const knows = (metadata: Metadata): boolean =>
    metadata.get(header).some((value) => timingSafeEqual(digest(value.toString()), expected));
  return (method, call) => {
    if (!method.path.startsWith(guarded)) return new ServerInterceptingCall(call);
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next(
          new ServerListenerBuilder()
            .withOnReceiveMetadata((metadata, goOn) => {
              if (knows(metadata)) goOn(metadata);
              else
                call.sendStatus({ code: status.UNAUTHENTICATED, details: 'Unauthenticated', metadata: new Metadata() });
            })
            .build(),
        ),
    });
  };
};
