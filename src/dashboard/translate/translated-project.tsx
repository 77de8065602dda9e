/** A project's page with its machines. */
import ProjectPage from '../project/project-page.tsx'
import { late } from '../ui/late.tsx'

const parts = () => import('./late-parts.ts')
const TranslateDialog = late(async () => ({ default: (await parts()).TranslateDialog }))
const MachineJobs = late(async () => ({ default: (await parts()).MachineJobs }), 'silent')

/** See `project-page.tsx`. */
export default function TranslatedProject() {
  return <ProjectPage TranslateDialog={TranslateDialog} MachineJobs={MachineJobs} />
}
