/**
 * The pricing context loaded from the server: seats left, discount code, member list entry.
 * The server checks all these values again on submit.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { getInvalidMessage, EMPTY_CONTEXT } from '../../../engine/index.ts'
import type { PricingContext, FieldErrors, PublicEvent } from '../../../engine/index.ts'
import { readCode, readRow } from '../../app/api-responses.ts'
import { call } from '../../app/api-client.ts'
import { DiscountCodeField } from '../fields/discount-code-field.tsx'
import type { CodeState } from '../fields/discount-code-field.tsx'
import type { FormExtensions } from '../form/form-extensions.ts'

type Rows = PricingContext['memberRecords']
const NO_ROWS: Rows = {}
const NO_ERRORS: FieldErrors = {}

export const LivePricingContext: FormExtensions['PricingContextProvider'] = ({
  event,
  tariff,
  initialCode,
  children,
}) => {
  const code = useDiscountCode(event, initialCode)
  const memberLists = useMemberLists(event)
  const seatsLeft = tariff?.left
  const kind = code.state.is === 'given' ? code.state.kind : null
  const context = useMemo<PricingContext>(
    () => ({
      code: kind === null ? null : { is: 'valid', kind },
      left: seatsLeft ?? EMPTY_CONTEXT.left,
      memberRecords: memberLists.rows,
    }),
    [kind, seatsLeft, memberLists.rows],
  )
  const errors = useMemo<FieldErrors>(() => {
    const errorEntries = event.fields.flatMap((field) =>
      memberLists.rows[field.id] === null ? [[field.id, getInvalidMessage(field)] as const] : [],
    )
    return errorEntries.length === 0 ? NO_ERRORS : Object.fromEntries(errorEntries)
  }, [event, memberLists.rows])
  return children({
    context,
    errors,
    memberEntries: memberLists.entryTexts,
    code: 'typed' in code.state && code.state.is !== 'refused' ? code.state.typed : null,
    startLookup: memberLists.startLookup,
    isLookingUp: memberLists.isLookingUp,
    onAnswerChange: memberLists.onAnswerChange,
    showCodeError: code.showCodeError,
    reset: () => {
      code.reset()
      memberLists.reset()
    },
    codeField:
      event.codeKinds.length === 0 ? null : (
        <DiscountCodeField
          event={event}
          state={code.state}
          onApply={code.apply}
          onRemove={code.reset}
        />
      ),
  })
}

/** Holds the discount code as typed, and the server's response. */
function useDiscountCode({ id, codeKinds }: PublicEvent, initialCode: string | null) {
  // A draft restores the discount code that it was priced with.
  const draftCode = codeKinds.length > 0 ? initialCode : null
  const [state, setState] = useState<CodeState>(
    draftCode === null ? { is: 'none' } : { is: 'asking', typed: draftCode },
  )
  /** Counts the requests, because a response to an older request must be ignored. */
  const requestCount = useRef(0)
  const apply = useCallback(
    async (typedCode: string) => {
      const requestNumber = (requestCount.current += 1)
      setState({ is: 'asking', typed: typedCode })
      const response = await call(`/api/events/${encodeURIComponent(id)}/code/`, readCode, {
        method: 'POST',
        json: { code: typedCode },
      })
      if (requestNumber !== requestCount.current) return
      setState(
        response.ok
          ? { is: 'given', typed: typedCode, ...response.value }
          : { is: 'refused', typed: typedCode, text: response.error.message },
      )
    },
    [id],
  )
  const reset = useCallback(() => {
    requestCount.current += 1
    setState({ is: 'none' })
  }, [])
  const showCodeError = useCallback((text: string) => {
    requestCount.current += 1
    setState((previous) =>
      previous.is === 'none' ? previous : { is: 'refused', typed: previous.typed, text },
    )
  }, [])
  useEffect(() => {
    if (draftCode !== null) void apply(draftCode)
  }, [draftCode, apply])
  return { state, apply, showCodeError, reset }
}

/** Holds the member list entries for the answers, by field. They are looked up when a field loses focus. */
function useMemberLists(event: PublicEvent) {
  const [rows, setRows] = useState<Rows>(NO_ROWS)
  const [entryTexts, setEntryTexts] = useState<ReadonlyMap<string, string>>(new Map())
  /** The most recently looked-up answer of each field. */
  const lookedUpAnswers = useRef(new Map<string, unknown>())
  /** Fields whose lookup is in progress. */
  const pendingLookups = useRef(new Set<string>())
  const [isLookingUp, setLookingUp] = useState(false)
  const onAnswerChange = useCallback((key: string) => {
    if (!lookedUpAnswers.current.delete(key)) return
    pendingLookups.current.delete(key)
    setLookingUp(pendingLookups.current.size > 0)
    setRows(({ [key]: _, ...otherRows }) => otherRows)
    setEntryTexts((previous) => new Map([...previous].filter(([id]) => id !== key)))
  }, [])
  const startLookup = useCallback(
    (key: string, value: unknown): boolean => {
      const field = event.fields.find(({ id }) => id === key)
      const memberList = event.memberLists.find(({ id }) => id === field?.roll)
      if (memberList === undefined || typeof value !== 'string' || value.trim() === '') return false
      if (lookedUpAnswers.current.get(key) === value) return pendingLookups.current.has(key)
      lookedUpAnswers.current.set(key, value)
      pendingLookups.current.add(key)
      setLookingUp(true)
      void call(`/api/events/${encodeURIComponent(event.id)}/roll/`, readRow, {
        method: 'POST',
        json: { field: key, value },
      }).then((lookupResponse) => {
        if (lookedUpAnswers.current.get(key) !== value) return
        pendingLookups.current.delete(key)
        setLookingUp(pendingLookups.current.size > 0)
        // The server reports any other error on submit.
        if (!lookupResponse.ok && lookupResponse.error.code !== 'not_on_roll')
          return void lookedUpAnswers.current.delete(key)
        const row = lookupResponse.ok ? lookupResponse.value : null
        setRows((previous) => ({ ...previous, [key]: row }))
        if (row === null) return
        const text = memberList.shows.flatMap((id) => (row[id] ? [row[id]] : [])).join(', ')
        setEntryTexts((previous) => new Map([...previous, [key, text]]))
      })
      return true
    },
    [event],
  )
  const reset = useCallback(() => {
    lookedUpAnswers.current.clear()
    pendingLookups.current.clear()
    setLookingUp(false)
    setRows(NO_ROWS)
    setEntryTexts(new Map())
  }, [])
  return {
    rows,
    entryTexts,
    startLookup,
    onAnswerChange,
    reset,
    isLookingUp,
  }
}
