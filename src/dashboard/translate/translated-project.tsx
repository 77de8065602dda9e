/** A project's page with its machines. */
import ProjectPage from '../project/project-page.tsx'
import { late } from '../ui/late.tsx'

const TranslateDialog = late(() => import('./translate-dialog.tsx'))
const MachineJobs = late(() => import('./machine-jobs.tsx'), false)

/** See `project-page.tsx`. */
export default function TranslatedProject() {
  return <ProjectPage TranslateDialog={TranslateDialog} MachineJobs={MachineJobs} />
}
