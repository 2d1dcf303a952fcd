import type { Message } from '../kernel.ts';

export type DepartmentEvent = Message<'DepartmentCreated', { workspaceId: string; name: string; slug: string }>;
