import type { Deployment } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { plain } from '../paint.ts';

type Way = Deployment['explanation']['ways'][number];

/** What a way out is on the command line; the words of the server where there is no command for it. */
const wayLine = ({ action, description }: Way, ticketId: string): string => {
  switch (action) {
    case 'cancel':
      return `opslog cancel ${ticketId}   cancels it once it is sure that the world saw nothing`;
    case 'giveUp':
      return `opslog cancel ${ticketId} --give-up   ends it as failed without knowing; reconcile afterwards`;
    case 'supersede':
      return 'opslog deploy --supersede   puts another deployment in its place';
    case 'deploy':
      return 'opslog deploy   deploys again, with attempts of its own';
    case 'rollback':
      return 'opslog rollback   puts the revision back that was live before';
    case 'reconcile':
      return 'opslog reconcile   compares what runs with what should (whoever operates Opslog)';
    case 'wait':
    case 'repair':
      return plain(description);
  }
};

/** Why a deployment stands where it does, and what can be done, for people. */
export const explanationLines = ({ explanation, ticketId }: Deployment, { paint }: Cli): readonly string[] => {
  const { summary, asked, answered, found, next, at, ways } = explanation;
  const said = (name: string, text: string | null) => (text === null ? [] : [`${name.padEnd(12)}${plain(text)}`]);
  return [
    ...said('why', summary),
    ...said('asked', asked),
    ...said('answered', answered),
    ...said('found', found),
    ...said('next', at === null ? next : `${next} (${at})`),
    ...ways.map((each, index) => `${(index === 0 ? 'ways out' : '').padEnd(12)}${paint.dim(wayLine(each, ticketId))}`),
  ];
};
