/** What went wrong, in words: a name with several addresses fails with one error for each of them, and no message of its own. */
export const messageOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message || error.name : String(error);
};
