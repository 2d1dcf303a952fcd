import type { Row, Script, Version } from './cloud.ts';
import { hasEnded, isLive, type Model, type TicketModel, wasWithdrawn } from './model.ts';
import { settings } from './settings.ts';
import type { Surroundings } from './surroundings.ts';

const newerCompleted = ({ tickets }: Model, ticket: TicketModel): TicketModel | undefined =>
  [...tickets.values()].find(
    (each) => each.workerId === ticket.workerId && each.sequence > ticket.sequence && each.status === 'completed',
  );

/** Somebody begins to change something outside for a deployment: only under a lease in force, and never after word of its loss. */
export const checkCall = (
  { model, now, violate }: Surroundings,
  process: string,
  { name, ticketId, attempt }: { readonly name: string; readonly ticketId: string; readonly attempt: number },
  toldOfLoss: boolean,
): void => {
  const ticket = model.tickets.get(ticketId);
  if (!ticket) return;
  const what = `${process} begins ${name} of ${ticketId}#${attempt}`;
  if (toldOfLoss) violate('fencing', `${what} after it was told that its lease was lost`);
  if (wasWithdrawn(ticket)) return;
  if (hasEnded(ticket) || ticket.attempt !== attempt) {
    violate('fencing', `${what}; the ticket is ${ticket.status} in attempt ${ticket.attempt}`);
  } else if (ticket.status !== 'leased' || ticket.holder !== process || now() > ticket.leasedUntil + settings.skewMs) {
    violate('fencing', `${what}; its lease ended ${now() - ticket.leasedUntil} ms ago`);
  }
};

/** Steps are looked at first when nobody knows whether they have happened. */
export const checkPerform = ({ model, violate }: Surroundings, ticketId: string, step: string): void => {
  const ticket = model.tickets.get(ticketId);
  if (ticket && isLive(ticket) && ticket.uncertainStep === step && !ticket.probed.has(step))
    violate('lookFirst', `${step} of ${ticketId} is done again without a look`);
};

export const checkVersion = ({ violate }: Surroundings, script: Script, version: Version): void => {
  if (script.versions.some((each) => each.ticketId === version.ticketId))
    violate('oneVersion', `a second version for ${version.ticketId}`);
};

/** Something went on the air in the name of a deployment. */
export const checkPublic = ({ model, violate }: Surroundings, ticketId: string): void => {
  const ticket = model.tickets.get(ticketId);
  if (!ticket) return;
  ticket.public = true;
  if (wasWithdrawn(ticket)) return;
  const newer = newerCompleted(model, ticket);
  if (newer) violate('effectOnce', `${ticketId} goes on the air after the newer ${newer.ticketId} was completed`);
  if (ticket.status === 'failed' || (ticket.status === 'cancelled' && !ticket.superseded))
    violate('effectOnce', `${ticketId} goes on the air though it is ${ticket.status}`);
};

export const checkRow = (around: Surroundings, row: Row): void => {
  if (row.ticketId !== '') checkPublic(around, row.ticketId);
};
