/** The ids of organizations, which name their folders. */
import { Failure } from '../bundle/errors.ts'

const ORGANIZATION = /^[A-Za-z0-9_-]{1,64}$/

/** Whether a name can be an organization's id. */
export const isOrganization = (name: string): boolean => ORGANIZATION.test(name)

/** @throws Failure `invalid` for what cannot be an organization's id */
export function checkOrganization(organization: string): string {
  if (isOrganization(organization)) return organization
  throw new Failure('invalid', 'An organization id is 1 to 64 letters, digits, hyphens and underscores.')
}
