export { type RunningOpslog, startOpslog } from './compose/opslog.ts';
export { openParts, type Parts } from './parts.ts';
