/** The app of the working folder, for commands that only ask how it names things. */
import type { Context } from '../context.ts'
import { findI18nextConfig } from './i18next-config.ts'
import { openLocal } from './open.ts'
import type { LocalProject } from './types.ts'

/**
 * Where an i18next config is there to say how; undefined without one. Runs it.
 * @throws Problem (exit 2) for a wrong one
 */
export async function configuredApp(context: Context): Promise<LocalProject | undefined> {
  const { root, config } = await context.settings()
  return findI18nextConfig(root.value) === undefined ? undefined : openLocal(root.value, config)
}
