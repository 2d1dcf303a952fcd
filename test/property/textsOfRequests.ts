import { fewNaughtyTexts } from '../support/naughtyTexts.ts';
import { matrixBody, seen, type TextFixture, type TextPlace } from './textFixture.ts';
import { email, never } from './textRules.ts';

// Texts that are compared with something, or that only few of are taken: nothing of them is kept.

const worker = { files: [{ path: 'index.ts', content: 'export default { fetch: () => new Response() };' }] };

const token = (text: string): string | undefined => ([...text].length <= 200 ? text : undefined);
const slug = (text: string): string | undefined => ([...text].length <= 63 ? text : undefined);

export const comparedTexts = (place: TextPlace): readonly TextFixture[] => {
  const invitation = (operation: string, more: object): TextFixture => ({
    ...{ operation, texts: fewNaughtyTexts, body: () => more, answers: ['InvitationNotFound'] },
    fields: { token: seen(token) },
  });
  return [
    {
      operation: 'openSession',
      texts: fewNaughtyTexts,
      body: () => ({ password: 'a wrong password' }),
      fields: { email: seen(email) },
      answers: ['CredentialsInvalid'],
    },
    invitation('showInvitation', {}),
    invitation('acceptInvitation', {}),
    invitation('registerByInvitation', { displayName: 'Nobody', password: 'a password of nobody' }),
    {
      operation: 'deleteWorkspace',
      texts: fewNaughtyTexts,
      body: () => matrixBody('deleteWorkspace', place.own),
      fields: { confirm: seen(slug) },
      answers: ['ConfirmationMismatch'],
    },
    {
      operation: 'submitRevision',
      texts: fewNaughtyTexts,
      body: () => worker,
      fields: { entryPoint: seen(never) },
    },
    ...['schedules.*.cron', 'schedules.*.timeZone'].map(
      (field): TextFixture => ({
        operation: 'submitRevision',
        texts: fewNaughtyTexts,
        body: () => ({ ...worker, schedules: [{ cron: '* * * * *', timeZone: 'UTC' }] }),
        fields: { [field]: seen(never) },
      }),
    ),
  ];
};
