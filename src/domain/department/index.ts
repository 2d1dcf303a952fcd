import type { Decider } from '../kernel.ts';
import { type DepartmentCommand, type DepartmentRejection, decide } from './decide.ts';
import type { DepartmentEvent } from './events.ts';
import { type Department, evolve, initial } from './state.ts';

export const department: Decider<DepartmentCommand, DepartmentEvent, Department, DepartmentRejection> = {
  category: 'department',
  events: { DepartmentCreated: true, DepartmentRemoved: true, DepartmentClaimForfeited: true },
  initial,
  decide,
  evolve,
};
export type { Department, DepartmentCommand, DepartmentEvent, DepartmentRejection };
