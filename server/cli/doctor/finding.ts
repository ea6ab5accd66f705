/** The results of `rollcall doctor`, each with its level: `good`, `check` or `wrong`. */

export type Finding = { readonly is: 'good' | 'check' | 'wrong'; readonly text: string }
export const reportGood = (text: string): Finding => ({ is: 'good', text })
export const reportCheck = (text: string): Finding => ({ is: 'check', text })
export const reportWrong = (text: string): Finding => ({ is: 'wrong', text })
