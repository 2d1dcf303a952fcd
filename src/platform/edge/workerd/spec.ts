import type { WorkerSpec } from '../port.ts';
import type { Refusal } from './department.ts';

const scriptName = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const digest = /^[0-9a-f]{64}$/;
const variableName = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
const loneSurrogate = /\p{Surrogate}/u;

/** What must hold before any part of the specification becomes a path, a host name or configuration text. */
export const checkSpec = (spec: WorkerSpec): Refusal | undefined => {
  if (!scriptName.test(spec.scriptName))
    return { code: 'ScriptNameInvalid', detail: 'The script name is no host label' };
  if (!digest.test(spec.bundleDigest))
    return { code: 'BundleDigestInvalid', detail: 'The digest is not 64 hex digits' };
  for (const [name, value] of Object.entries(spec.variables)) {
    if (!variableName.test(name) || name === '__proto__') {
      return { code: 'VariableNameInvalid', detail: `The variable name ${JSON.stringify(name)} is no identifier` };
    }
    if (loneSurrogate.test(value)) {
      return { code: 'VariableValueInvalid', detail: `The value of ${name} is not valid Unicode text` };
    }
  }
  for (const { name } of spec.secrets) {
    if (!variableName.test(name) || name === '__proto__' || Object.hasOwn(spec.variables, name)) {
      return {
        code: 'SecretNameInvalid',
        detail: `The secret name ${JSON.stringify(name)} is no identifier of its own`,
      };
    }
  }
  return undefined;
};
