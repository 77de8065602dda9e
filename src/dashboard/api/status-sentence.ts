/** The sentence for an HTTP status without one of its own. */
import type { TFunction } from 'i18next'

/** A sentence for an answer that has none, such as a proxy's page. @param t of any namespace */
export function statusSentence(status: number, t: TFunction): string {
  switch (status) {
    case 403:
      return t('common:status.forbidden')
    case 404:
    case 410:
      return t('common:status.missing')
    case 408:
    case 504:
      return t('common:status.slow')
    case 409:
    case 412:
      return t('common:status.changed')
    case 413:
      return t('common:status.large')
    case 429:
      return t('common:status.busy')
    case 502:
    case 503:
      return t('common:status.away')
    case 507:
      return t('common:status.full')
    default:
      return status >= 500 ? t('common:status.failed') : t('common:status.refused')
  }
}
