/** The shape of rights by language and project in bodies and answers. */
import { z } from 'zod'
import { RIGHT_LEVELS } from '../../auth/rights.ts'
import { like } from './shapes.ts'

const LanguageRightShape = z
  .strictObject({
    projects: like(z.array(z.string()), ['web']).optional().describe('Slugs of 1 to 100 projects; absent: all.'),
    languages: like(z.array(z.string()), ['de', 'fr'], ['*']).describe(
      '1 to 200 language tags, or `*` alone for all languages.',
    ),
    may: z.enum(RIGHT_LEVELS).describe('Each includes those before it.'),
  })
  .meta({ id: 'LanguageRight' })

/** See the top of the file. */
export const RightsShape = z
  .array(LanguageRightShape)
  .meta({ examples: [[{ projects: ['web'], languages: ['de', 'fr'], may: 'translate' }]] })
