/** The results of `rollcall doctor`, each with its level: `good`, `check` or `wrong`. */

export type Finding = { readonly level: 'good' | 'check' | 'wrong'; readonly text: string }
export const reportGood = (text: string): Finding => ({ level: 'good', text })
export const reportCheck = (text: string): Finding => ({ level: 'check', text })
export const reportWrong = (text: string): Finding => ({ level: 'wrong', text })
