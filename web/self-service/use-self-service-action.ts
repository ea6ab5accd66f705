/** The hook for self-service actions: one call at a time, its result as text, then a reload. */
import { useState } from 'react'
import { call, newKey } from '../app/api-client.ts'
import { readDone } from './self-service-api-responses.ts'
import type { PanelProps } from './panel-props.ts'

export type Acting = {
  readonly isBusy: boolean
  /** Result of the last action; null: none yet. */
  readonly done: string | null
  /** Why the last action was refused; null: it was not. */
  readonly problem: string | null
  /**
   * Returns true if the action was performed. A request repeated after a timeout is performed once.
   */
  readonly act: (words: Readonly<Record<string, unknown>>) => Promise<boolean>
  readonly refuse: (problem: string | null) => void
}

export function useActing({ path, again }: Pick<PanelProps, 'path' | 'again'>): Acting {
  const [isBusy, setBusy] = useState(false)
  const [done, setDone] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [unsure, setUnsure] = useState<{ readonly said: string; readonly key: string } | null>(null)
  const act: Acting['act'] = async (words) => {
    if (isBusy) return false
    setBusy(true)
    setProblem(null)
    setDone(null)
    const said = JSON.stringify(words)
    const key = unsure?.said === said ? unsure.key : newKey()
    const answer = await call(`${path}acts/`, readDone, {
      method: 'POST',
      json: { ...words, key },
    })
    setBusy(false)
    setUnsure(!answer.ok && answer.error.status === 0 ? { said, key } : null)
    if (answer.ok) setDone(answer.value)
    else setProblem(answer.error.message)
    if (answer.ok) again()
    return answer.ok
  }
  return { isBusy, done, problem, act, refuse: setProblem }
}
