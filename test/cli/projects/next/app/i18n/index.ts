import i18next from 'i18next'

export const getT = async () => ({ t: i18next.t })
