/** As many looks back are under way, or waited for, as there may be. */
export class PastBusy extends Error {
  override readonly name = 'PastBusy';
}

/** The workspace had more events by then than are replayed for one question. */
export class HistoryTooLong extends Error {
  override readonly name = 'HistoryTooLong';
}
