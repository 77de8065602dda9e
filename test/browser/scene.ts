/** A signed-in user with an organization and a project of five languages, created through the API. */
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { bundles } from '../../src/demo/demo-bundles.ts'
import type { Organization, Server } from '../contract/server.ts'
import { type Opening, openPage, startBuilt } from './browser.ts'

/** See the top of the file. */
export interface Scene {
  server: Server
  acme: Organization
  /** The path of the project in the API. */
  web: string
}

/** A server with Ann's organization and its filled project `web`, for a whole file. */
export async function openScene(t: Test, env: Record<string, string> = {}): Promise<Scene> {
  return fillScene(await startBuilt(t, env))
}

/** The same on a server that is there. */
export async function fillScene(server: Server): Promise<Scene> {
  const acme = await server.organization('Ann')
  const web = await server.project(acme.key, 'web')
  const body = { bundles, message: 'The first texts' }
  await server.must('POST', `${web}/push?overwrite=true`, { key: acme.key, body })
  return { server, acme, web }
}

/** A page of {@link openScene}, as its owner unless `as` names another. */
export function signedIn(t: Test, { server, acme }: Scene, opening: Opening = {}): Promise<Page> {
  return openPage(t, server, { as: acme.owner, ...opening })
}
