/** Calls at once, then at most every `ms`; what comes in between is one call at the end of that time. */
export const throttle = (call: () => void, ms: number): { readonly call: () => void; readonly stop: () => void } => {
  let timer: NodeJS.Timeout | undefined;
  let again = false;
  const run = (): void => {
    again = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (again) run();
    }, ms);
    call();
  };
  return {
    call: () => {
      if (timer === undefined) run();
      else again = true;
    },
    stop: () => {
      clearTimeout(timer);
      timer = undefined;
      again = false;
    },
  };
};
