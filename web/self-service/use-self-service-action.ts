/** Doing something on the own page: one call at a time, what came of it in words, and everything read anew. */
import { useState } from 'react'
import { call, newKey } from '../app/api-client.ts'
import { readDone } from './self-service-api-responses.ts'
import type { PanelProps } from './panel-props.ts'

export type Acting = {
  readonly isBusy: boolean
  /** What was done last; null: nothing yet. */
  readonly done: string | null
  /** Why the last one was refused; null: it was not. */
  readonly problem: string | null
  /** True when it was done. What is sent twice because no answer came is done once. */
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
