/**
 * What one form cannot know by itself, asked of the server while it is filled in: how many places are
 * left, what a code gives, what a roll says of a number. The server decides all of it again.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { invalidOf, NO_FACTS } from '../../../engine/index.ts'
import type { Facts, FieldErrors, PublicEvent } from '../../../engine/index.ts'
import { readCode, readRow } from '../../app/api-responses.ts'
import { call } from '../../app/api-client.ts'
import { CodeBox } from '../fields/discount-code-field.tsx'
import type { CodeState } from '../fields/discount-code-field.tsx'
import type { More } from '../form/form-extensions.ts'

type Rows = Facts['rolls']
const NO_ROWS: Rows = {}
const NO_ERRORS: FieldErrors = {}

export const Beside: More['Beside'] = ({ event, tariff, begin, children }) => {
  const code = useCode(event, begin)
  const rolls = useRolls(event)
  const left = tariff?.left
  const kind = code.state.is === 'given' ? code.state.kind : null
  const facts = useMemo<Facts>(
    () => ({
      code: kind === null ? null : { is: 'valid', kind },
      left: left ?? NO_FACTS.left,
      rolls: rolls.rows,
    }),
    [kind, left, rolls.rows],
  )
  const errors = useMemo<FieldErrors>(() => {
    const found = event.fields.flatMap((field) =>
      rolls.rows[field.id] === null ? [[field.id, invalidOf(field)] as const] : [],
    )
    return found.length === 0 ? NO_ERRORS : Object.fromEntries(found)
  }, [event, rolls.rows])
  return children({
    facts,
    errors,
    said: rolls.said,
    code: 'typed' in code.state && code.state.is !== 'refused' ? code.state.typed : null,
    left: rolls.left,
    isAsking: rolls.isAsking,
    changed: rolls.changed,
    codeRefused: code.refuse,
    reset: () => {
      code.reset()
      rolls.reset()
    },
    box:
      event.codeKinds.length === 0 ? null : (
        <CodeBox event={event} state={code.state} apply={code.apply} takeOff={code.reset} />
      ),
  })
}

/** A code as it was typed, and what became of it. */
function useCode({ id, codeKinds }: PublicEvent, begin: string | null) {
  // Answers that were kept come back with the code that they were priced by.
  const kept = codeKinds.length > 0 ? begin : null
  const [state, setState] = useState<CodeState>(
    kept === null ? { is: 'none' } : { is: 'asking', typed: kept },
  )
  /** Counts the questions: an answer to an older one says nothing any more. */
  const asked = useRef(0)
  const apply = useCallback(
    async (typed: string) => {
      const mine = (asked.current += 1)
      setState({ is: 'asking', typed })
      const answer = await call(`/api/events/${encodeURIComponent(id)}/code/`, readCode, {
        method: 'POST',
        json: { code: typed },
      })
      if (mine !== asked.current) return
      setState(
        answer.ok
          ? { is: 'given', typed, ...answer.value }
          : { is: 'refused', typed, text: answer.error.message },
      )
    },
    [id],
  )
  const reset = useCallback(() => {
    asked.current += 1
    setState({ is: 'none' })
  }, [])
  const refuse = useCallback((text: string) => {
    asked.current += 1
    setState((old) => (old.is === 'none' ? old : { is: 'refused', typed: old.typed, text }))
  }, [])
  useEffect(() => {
    if (kept !== null) void apply(kept)
  }, [kept, apply])
  return { state, apply, refuse, reset }
}

/** By field, the row of its roll on which the answer stands; asked when the question is left. */
function useRolls(event: PublicEvent) {
  const [rows, setRows] = useState<Rows>(NO_ROWS)
  const [said, setSaid] = useState<ReadonlyMap<string, string>>(new Map())
  /** By field, the answer that was asked about last. */
  const asked = useRef(new Map<string, unknown>())
  /** The fields whose question is open. */
  const open = useRef(new Set<string>())
  const [isAsking, setAsking] = useState(false)
  const changed = useCallback((key: string) => {
    if (!asked.current.delete(key)) return
    open.current.delete(key)
    setAsking(open.current.size > 0)
    setRows(({ [key]: _, ...others }) => others)
    setSaid((old) => new Map([...old].filter(([id]) => id !== key)))
  }, [])
  const left = useCallback(
    (key: string, value: unknown): boolean => {
      const field = event.fields.find(({ id }) => id === key)
      const roll = event.rolls.find(({ id }) => id === field?.roll)
      if (roll === undefined || typeof value !== 'string' || value.trim() === '') return false
      if (asked.current.get(key) === value) return open.current.has(key)
      asked.current.set(key, value)
      open.current.add(key)
      setAsking(true)
      void call(`/api/events/${encodeURIComponent(event.id)}/roll/`, readRow, {
        method: 'POST',
        json: { field: key, value },
      }).then((answer) => {
        if (asked.current.get(key) !== value) return
        open.current.delete(key)
        setAsking(open.current.size > 0)
        // Whatever else went wrong is the server's to find out when the form is sent.
        if (!answer.ok && answer.error.code !== 'not_on_roll') return void asked.current.delete(key)
        const row = answer.ok ? answer.value : null
        setRows((old) => ({ ...old, [key]: row }))
        if (row === null) return
        const text = roll.shows.flatMap((id) => (row[id] ? [row[id]] : [])).join(', ')
        setSaid((old) => new Map([...old, [key, text]]))
      })
      return true
    },
    [event],
  )
  const reset = useCallback(() => {
    asked.current.clear()
    open.current.clear()
    setAsking(false)
    setRows(NO_ROWS)
    setSaid(new Map())
  }, [])
  return { rows, said, left, changed, reset, isAsking }
}
