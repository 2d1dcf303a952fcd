import { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { streamName } from './proposed.ts';
import { INT64_MAX, textToInt64 } from './protobuf.ts';
import { invalidArgument, unknown } from './rpcErrors.ts';

/** Where to begin: the first event, behind the last one, or at a revision or position. */
export type From = 'start' | 'end' | number;

export type Filter = {
  readonly matches: (stream: string, type: string) => boolean;
  /** Events looked at between two checkpoints. */
  readonly window: number;
  readonly checkpointEvery: number;
};

export type Rendering = { readonly resolveLinks: boolean; readonly structuredIds: boolean };

export type ReadRequest = Rendering &
  (
    | {
        readonly kind: 'readStream';
        readonly stream: string;
        readonly from: From;
        readonly backwards: boolean;
        readonly limit: number;
        readonly tellBounds: boolean;
      }
    | {
        readonly kind: 'readAll';
        readonly from: From;
        readonly backwards: boolean;
        readonly limit: number;
        readonly filter?: Filter;
      }
    | { readonly kind: 'followStream'; readonly stream: string; readonly from: From }
    | { readonly kind: 'followAll'; readonly from: From; readonly filter?: Filter }
  );

const DEFAULT_WINDOW = 32;

const matcher = (expression: ReadReq.Options.FilterOptions.Expression): ((text: string) => boolean) => {
  const source = expression.getRegex();
  if (source === '') {
    const prefixes = expression.getPrefixList();
    return (text) => prefixes.some((prefix) => text.startsWith(prefix));
  }
  try {
    const pattern = new RegExp(source, 'u');
    return (text) => pattern.test(text);
  } catch {
    throw invalidArgument(`The filter is not a regular expression: ${source}`);
  }
};

const filterOf = (options: ReadReq.Options, following: boolean): Filter | undefined => {
  const filter = options.getFilter();
  if (filter === undefined) return undefined;
  const onStream = filter.getStreamIdentifier();
  const onType = filter.getEventType();
  const expression = onStream ?? onType;
  if (expression === undefined) throw invalidArgument('The filter has no expression.');
  const multiplier = filter.getCheckpointintervalmultiplier();
  if (following && multiplier === 0) throw invalidArgument('The checkpoint interval multiplier must be positive.');
  const window = filter.hasMax() ? filter.getMax() : DEFAULT_WINDOW;
  if (window === 0) throw invalidArgument('The search window must be positive.');
  const test = matcher(expression);
  const matches = (stream: string, type: string): boolean => test(onStream === undefined ? type : stream);
  return { matches, window, checkpointEvery: Math.max(1, multiplier) * window };
};

const streamFrom = (options: ReadReq.Options.StreamOptions): From => {
  if (options.hasEnd()) return 'end';
  return options.hasRevision() ? textToInt64(options.getRevision()) : 'start';
};

const allFrom = (options: ReadReq.Options.AllOptions): From => {
  if (options.hasEnd()) return 'end';
  const position = options.getPosition();
  if (position === undefined) return 'start';
  const commit = textToInt64(position.getCommitPosition());
  // The client's "end" in older versions: both halves at their maximum.
  if (commit === INT64_MAX) return 'end';
  if (commit < textToInt64(position.getPreparePosition())) {
    throw invalidArgument('The commit position must not be below the prepare position.');
  }
  return commit;
};

/** Throws INVALID_ARGUMENT for combinations that the protocol can say and a server does not do. */
export const parseReadRequest = (request: ReadReq): ReadRequest => {
  const options = request.getOptions();
  if (options === undefined) throw invalidArgument('No options are given.');
  const rendering = {
    resolveLinks: options.getResolveLinks(),
    structuredIds: options.getUuidOption()?.hasStructured() ?? false,
  };
  const backwards = options.getReadDirection() === ReadReq.Options.ReadDirection.BACKWARDS;
  const following = options.hasSubscription();
  const limit = textToInt64(options.getCount());
  const stream = options.getStream();
  const all = options.getAll();
  const filter = filterOf(options, following);
  const combination = `The combination of ${stream === undefined ? '$all' : 'a stream'}, ${
    following ? 'a subscription' : 'a count'
  }, ${backwards ? 'backwards' : 'forwards'} and ${filter === undefined ? 'no filter' : 'a filter'} is invalid.`;
  if (!following && !options.hasCount()) throw invalidArgument('Neither a count nor a subscription is given.');
  if (following && backwards) throw invalidArgument(combination);
  if (!following && !(limit > 0)) throw unknown('Exception was thrown by handler. maxCount should be positive.');
  const filtered = filter === undefined ? {} : { filter };
  if (stream !== undefined) {
    if (filter !== undefined) throw invalidArgument(combination);
    const named = { ...rendering, stream: streamName(stream.getStreamIdentifier()), from: streamFrom(stream) };
    const tellBounds = (options.getControlOption()?.getCompatibility() ?? 0) >= 1;
    return following
      ? { ...named, kind: 'followStream' }
      : { ...named, kind: 'readStream', backwards, limit, tellBounds };
  }
  if (all === undefined) throw invalidArgument('Neither a stream nor $all is given.');
  const everything = { ...rendering, ...filtered, from: allFrom(all) };
  return following ? { ...everything, kind: 'followAll' } : { ...everything, kind: 'readAll', backwards, limit };
};
