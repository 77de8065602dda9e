/** The tool that has a machine translate what a project lacks. */
import { z } from 'zod'
import { pathOf } from './api-call.ts'
import { key, language, namespace, project, tool, undoCall } from './tool.ts'

const input = z.strictObject({
  project,
  languages: z.array(language).min(1).max(100).optional(),
  namespaces: z.array(namespace).min(1).optional(),
  keys: z.array(key).min(1).max(500).optional().describe('Of one namespace.'),
  is: z
    .array(z.enum(['missing', 'empty', 'stale']))
    .min(1)
    .optional(),
  save: z.enum(['text', 'suggestion']).optional(),
  machine: z.string().optional(),
  instructions: z.string().max(1_000).optional().describe('About style.'),
  again: z.boolean().optional().describe('Texts refused before, too.'),
  start: z.boolean().optional(),
  job: z.string().optional(),
})

export const TRANSLATE_TOOL = tool(
  'translate',
  'translates',
  'A machine translates missing and stale texts. Call it for a plan with its cost, then with `start`, then with `job` until that ends. Example: {"project":"web","languages":["de"]}',
  input,
  async (call, { project, job, start = false, ...asked }) => {
    if (job !== undefined) {
      const path = pathOf('projects', project, 'jobs', job)
      const data = await call<{ revisions?: string[] }>({ method: 'GET', path })
      return { says: 'The job.', data: { ...data, undo: undoCall(project, data.revisions ?? []) } }
    }
    const path = pathOf('projects', project, 'translate')
    const data = await call({ method: 'POST', path, query: { dryRun: !start }, body: asked })
    return { says: start ? 'Started: ask again with this job.' : 'Nothing is written yet: this is the plan.', data }
  },
)
