/** As many looks back are under way, or waited for, as there may be. */
export class PastBusy extends Error {
  override readonly name = 'PastBusy';
}

/** Where the workspace was replayed is no more: it died, or took too long. */
export class PastLost extends Error {
  override readonly name = 'PastLost';
}

/** The workspace had more by then than is replayed for one question: more events, or more in them. */
export class HistoryTooLong extends Error {
  override readonly name = 'HistoryTooLong';
}
