import {
  DiscardPolicy,
  type JetStreamManager,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from 'nats';
import { MessageStreamUnfit } from './port.ts';

export type StreamSettings = {
  readonly name: string;
  readonly subjectPrefix: string;
  readonly duplicateWindowMs: number;
  /** How long messages stay; 0 for ever. The log keeps the facts anyway, and can publish them again. */
  readonly maxAgeMs: number;
};

const missingStream = 10059;
const nameInUse = 10058;

const codeOf = (error: unknown): number | undefined =>
  error instanceof NatsError ? error.api_error?.err_code : undefined;

/** Creates the stream, or checks the one that is there. Answers whether it was created now. */
export const ensureStream = async (manager: JetStreamManager, settings: StreamSettings): Promise<boolean> => {
  const found = await findStream(manager, settings.name);
  if (found !== undefined) {
    checkFit(found, settings);
    return false;
  }
  try {
    await manager.streams.add({
      name: settings.name,
      subjects: [`${settings.subjectPrefix}.>`],
      description: 'Every event of the Opslog log, as CloudEvents',
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      duplicate_window: nanos(settings.duplicateWindowMs),
      max_age: nanos(settings.maxAgeMs),
    });
    return true;
  } catch (error) {
    // Another publisher was faster.
    if (codeOf(error) !== nameInUse) throw error;
    const theirs = await findStream(manager, settings.name);
    if (theirs === undefined) throw error;
    checkFit(theirs, settings);
    return false;
  }
};

const findStream = async (manager: JetStreamManager, name: string): Promise<StreamInfo | undefined> => {
  try {
    return await manager.streams.info(name);
  } catch (error) {
    if (codeOf(error) === missingStream) return undefined;
    throw error;
  }
};

/** An operator may choose storage, limits and replicas; what would lose or refuse messages is not a choice. */
const checkFit = ({ config }: StreamInfo, { name, subjectPrefix }: StreamSettings): void => {
  const takesAll = config.subjects?.some((subject) => subject === `${subjectPrefix}.>` || subject === '>') === true;
  if (!takesAll) throw new MessageStreamUnfit(`Stream ${name} does not take the subjects ${subjectPrefix}.>`);
  if (config.mirror !== undefined)
    throw new MessageStreamUnfit(`Stream ${name} is a mirror and cannot be published to.`);
  if (config.sealed) throw new MessageStreamUnfit(`Stream ${name} is sealed.`);
  if (config.retention !== RetentionPolicy.Limits) {
    throw new MessageStreamUnfit(
      `Stream ${name} drops messages once somebody has read them: its retention is not "limits".`,
    );
  }
};
