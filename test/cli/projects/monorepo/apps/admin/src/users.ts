import i18next from 'i18next'

export const title = () => i18next.t('users.title', 'Benutzer')
export const count = (count: number) => i18next.t('users.count', { count })
export const audit = () => i18next.t('audit:title', 'Protokoll')
