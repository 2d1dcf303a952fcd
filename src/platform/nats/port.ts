export type BusMessage = {
  readonly subject: string;
  /** The bus keeps one message of an id within its duplicate window. */
  readonly id: string;
  readonly payload: Uint8Array;
};

export type MessageBus = {
  /**
   * Resolves once the message is stored for good. `duplicate`: it was stored before. Throws MessageBusUnavailable when
   * that cannot be told or done now: publishing again is harmless. Makes the stream again when somebody deleted it.
   */
  publish(message: BusMessage): Promise<{ readonly duplicate: boolean }>;
  /**
   * Connects, and creates the stream or checks that it takes our messages. Throws MessageBusUnavailable, or
   * MessageStreamUnfit when the stream is there and is not ours to change.
   */
  ready(): Promise<void>;
  /** Bytes that a message may have; known once connected. */
  maxPayloadBytes(): number;
  connected(): boolean;
  close(): Promise<void>;
};

/** The bus does not answer, or not in time. */
export class MessageBusUnavailable extends Error {
  override readonly name = 'MessageBusUnavailable';
}

/** A stream of this name is there, with settings that lose or refuse our messages. */
export class MessageStreamUnfit extends Error {
  override readonly name = 'MessageStreamUnfit';
}
