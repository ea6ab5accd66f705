/**
 * The pricing context loaded from the server: seats left, discount code, member list entry.
 * The server checks all of it again on submit.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { invalidMessage, EMPTY_CONTEXT } from '../../../engine/index.ts'
import type { PricingContext, FieldErrors, PublicEvent } from '../../../engine/index.ts'
import { readCode, readRow } from '../../app/api-responses.ts'
import { call } from '../../app/api-client.ts'
import { CodeBox } from '../fields/discount-code-field.tsx'
import type { CodeState } from '../fields/discount-code-field.tsx'
import type { More } from '../form/form-extensions.ts'

type Rows = PricingContext['rolls']
const NO_ROWS: Rows = {}
const NO_ERRORS: FieldErrors = {}

export const Beside: More['Beside'] = ({ event, tariff, begin, children }) => {
  const code = useCode(event, begin)
  const rolls = useRolls(event)
  const left = tariff?.left
  const kind = code.state.is === 'given' ? code.state.kind : null
  const facts = useMemo<PricingContext>(
    () => ({
      code: kind === null ? null : { is: 'valid', kind },
      left: left ?? EMPTY_CONTEXT.left,
      rolls: rolls.rows,
    }),
    [kind, left, rolls.rows],
  )
  const errors = useMemo<FieldErrors>(() => {
    const found = event.fields.flatMap((field) =>
      rolls.rows[field.id] === null ? [[field.id, invalidMessage(field)] as const] : [],
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

/** A discount code as typed, and the server's answer. */
function useCode({ id, codeKinds }: PublicEvent, begin: string | null) {
  // Kept answers restore the discount code that they were priced with.
  const kept = codeKinds.length > 0 ? begin : null
  const [state, setState] = useState<CodeState>(
    kept === null ? { is: 'none' } : { is: 'asking', typed: kept },
  )
  /** Request counter: an answer to an older request is ignored. */
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

/**
 * Entries of the member lists that the answers refer to, by field. Looked up when the field loses
 * focus.
 */
function useRolls(event: PublicEvent) {
  const [rows, setRows] = useState<Rows>(NO_ROWS)
  const [said, setSaid] = useState<ReadonlyMap<string, string>>(new Map())
  /** By field, the answer of the last lookup. */
  const asked = useRef(new Map<string, unknown>())
  /** Fields whose lookup is in progress. */
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
      const roll = event.memberLists.find(({ id }) => id === field?.roll)
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
        // Any other error is left for the server to report on submit.
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
