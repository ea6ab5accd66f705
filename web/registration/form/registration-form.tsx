/** The form's state: answers, shown and required fields, and validation messages. */
import type RjsfForm from '@rjsf/core'
import type { RJSFSchema, ValidatorType } from '@rjsf/utils'
import { createPrecompiledValidator } from '@rjsf/validator-ajv8'
import type { ErrorObject } from 'ajv'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { RefObject } from 'react'
import {
  findCategory,
  findAnswerErrors,
  flatSchema,
  matchesCondition,
  normalise,
  shownFields,
  toMessages,
} from '../../../engine/index.ts'
import type {
  Answers,
  PricingContext,
  FieldErrors,
  PublicEvent,
  RawAnswers,
} from '../../../engine/index.ts'
import type { EventAnswer } from '../../../engine/api.ts'
import { Must, Prices, Progress, Shown } from './form-context.ts'
import type { FormConstants, SectionState } from './form-context.ts'
import { Form } from './rjsf-theme.tsx'
import { startOf } from '../draft-storage.ts'
import { FORM_ID, keyOf, movedWith, rootOf, treeOf } from './field-keys.ts'
import type { More, Outside } from './form-extensions.ts'
import type { Proofs } from '../uploads/upload-progress.ts'
import type { Tariff } from '../price/live-price.ts'
import { sentenceOf } from './error-summary.tsx'
import './registration-form.css'

/** Validates nothing: RJSF only renders. Throws if a schema makes RJSF ask for validation. */
const silent: ValidatorType<RawAnswers> = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  isValid: () => {
    throw new Error('RJSF asked its validator: the flat schema holds a condition')
  },
  rawValidation: () => ({ errors: [] }),
}
const NO_SUBMIT_BUTTON = <></>
const FIXED_BEHAVIOUR = { emptyObjectFields: 'skipDefaults', constAsDefaults: 'never' } as const

/** State of the answers, and the operations on them. */
export type FormState = {
  readonly data: RawAnswers
  readonly answers: Answers
  readonly shown: ReadonlySet<string>
  readonly must: ReadonlySet<string>
  readonly errors: FieldErrors
  readonly progress: readonly SectionState[]
  readonly proofs: Proofs
  /** Validates all answers, or the given fields; the key of the first error, or null. */
  readonly check: (only?: readonly string[]) => string | null
  readonly setErrors: (errors: FieldErrors) => void
  readonly reset: () => void
  /** Replaces all answers. Text and caret of existing inputs are not touched. */
  readonly layIn: (data: RawAnswers) => void
  /** Number of such replacements. */
  readonly begun: number
  readonly formProps: FormBoxProps
}

/** Returns the same set while its members are equal, so that contexts change only when necessary. */
function useSteady(set: ReadonlySet<string>): ReadonlySet<string> {
  const key = [...set].join(' ')
  // eslint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => set, [key])
}

/**
 * Validation on submit: the server's compiled validator of the full schema, loaded while the
 * delegate types. Until it is loaded, or if loading fails, the engine's own check gives the same
 * result.
 */
function useJudge(
  { event, schema, validator_url }: EventAnswer,
  facts: PricingContext,
): (raw: RawAnswers) => FieldErrors {
  const compiled = useRef<((answers: Answers) => ErrorObject[]) | null>(null)
  useEffect(() => {
    if (validator_url === null) return
    void import(/* @vite-ignore */ validator_url)
      .then((module: { default: Parameters<typeof createPrecompiledValidator>[0] }) => {
        const validator = createPrecompiledValidator(module.default, schema as RJSFSchema)
        compiled.current = (answers) =>
          validator.rawValidation<ErrorObject>(schema as RJSFSchema, answers).errors ?? []
      })
      .catch(() => {
        compiled.current = null
      })
  }, [schema, validator_url])
  return useCallback(
    (raw) => {
      if (compiled.current === null) return findAnswerErrors(event, raw, facts)
      const { answers } = normalise(event, raw, facts)
      return toMessages(event, compiled.current(answers), answers)
    },
    [event, facts],
  )
}

/** The part of the pricing context (form-extensions.ts) that validation needs. */
type Beside = Pick<Outside, 'facts' | 'errors' | 'left' | 'changed'>

export function useForm(
  page: EventAnswer,
  begin: RawAnswers,
  beside: Beside,
  proofs: Proofs,
  onEdit: () => void,
): FormState {
  const { event } = page
  const { facts, errors: known, left, changed } = beside
  const judge = useJudge(page, facts)
  usePresses()
  const [data, setData] = useState<RawAnswers>(begin)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set())
  const constants = useMemo<FormConstants>(
    () => ({
      event,
      fields: new Map(
        event.fields.flatMap((field) => [
          [field.id, field] as const,
          ...(field.fields ?? []).map((part) => [`${field.id}.${part.id}`, part] as const),
        ]),
      ),
      proofs,
    }),
    [event, proofs],
  )

  const answers = useMemo(() => normalise(event, data, facts).answers, [event, data, facts])
  const shown = useSteady(
    useMemo(() => shownFields(event, answers, facts), [event, answers, facts]),
  )
  const must = useSteady(
    useMemo(() => {
      const category = findCategory(event, answers)
      return new Set(
        [...constants.fields].flatMap(([key, { required }]) =>
          required && (!required.when || matchesCondition(required.when, answers, category))
            ? [key]
            : [],
        ),
      )
    }, [event, constants, answers]),
  )
  const progress = useProgress(event, data, facts, shown, must, errors, visited)
  /** Shown fields in the order of the form. */
  const seen = useMemo(
    () =>
      Object.fromEntries(
        event.fields.flatMap(({ id }) =>
          shown.has(id) ? Object.entries(errors).filter(([key]) => rootOf(key) === id) : [],
        ),
      ),
    [event, shown, errors],
  )
  const extra = useMemo(() => treeOf(seen), [seen])

  const [heard, setHeard] = useState('')
  const latest = useRef({ data, facts })
  latest.current = { data, facts }
  // An error found after the field lost focus is shown as if it had been found at once.
  useEffect(() => {
    const [[id, text] = []] = Object.entries(known)
    if (id === undefined || text === undefined) return
    setErrors((old) => ({ ...old, ...known }))
    setHeard(sentenceOf(event, id, text))
  }, [event, known])
  /** Removes the message of a field while its answer is being corrected. */
  const clear = useCallback(
    (id: string) =>
      setErrors((old) => {
        if (!(id in old)) return old
        const { [id]: _cleared, ...rest } = old
        return rest
      }),
    [],
  )
  // The answer of a file field is the file's name, including a file sent before.
  useEffect(() => {
    const follow = (edited: () => void) => {
      const all = proofs.all()
      for (const { id } of event.fields.filter(({ type }) => type === 'file')) {
        const name = all.get(id)?.name ?? ''
        if (String(latest.current.data[id] ?? '') === name) continue
        latest.current.data = { ...latest.current.data, [id]: name }
        setData((old) => ({ ...old, [id]: name }))
        clear(id)
        edited()
      }
    }
    proofs.recall()
    follow(() => {})
    return proofs.subscribe(() => follow(onEdit))
  }, [event, proofs, clear, onEdit])
  /** A new message pushes the page down, so wait until the press that caused it has ended. */
  const leave = useCallback(
    (id: string) => {
      setVisited((old) => (old.has(id) ? old : new Set([...old, id])))
      afterPress(() => {
        const { data, facts } = latest.current
        left(id, data[id])
        const text = findAnswerErrors(event, data, facts)[id]
        setHeard(text === undefined ? '' : sentenceOf(event, id, text))
        if (text !== undefined) setErrors((old) => ({ ...old, [id]: text }))
      })
    },
    [event, left],
  )

  const check = (only?: readonly string[]) => {
    const found = Object.entries({ ...judge(data), ...known }).filter(
      ([key]) => only?.includes(rootOf(key)) ?? true,
    )
    setErrors(Object.fromEntries(found))
    return found[0]?.[0] ?? null
  }
  const reset = useCallback(() => {
    proofs.clear()
    setData(startOf(event))
    setErrors({})
    setVisited(new Set())
  }, [event, proofs])

  const form = useRef<RjsfForm<RawAnswers>>(null)
  const [begun, setBegun] = useState(0)
  const layIn = useCallback((whole: RawAnswers) => {
    // Update through RJSF's own state; otherwise it would first render its old state over the typed
    // text.
    form.current?.onChange(whole, [])
    setBegun((times) => times + 1)
  }, [])

  return {
    data,
    answers,
    layIn,
    begun,
    shown,
    must,
    progress,
    check,
    setErrors,
    reset,
    errors: seen,
    proofs,
    formProps: {
      form,
      constants,
      data,
      extra,
      shown,
      must,
      progress,
      heard,
      change: useCallback(
        (form: RawAnswers | undefined, id: string | undefined) => {
          const before = latest.current.data
          setData((old) => ({ ...old, ...form }))
          // Replacing all answers is not an edit by the delegate.
          if (id === undefined) return
          const key = keyOf(event, id)
          clear(key)
          changed(key)
          setErrors((old) => movedWith(old, key, before[key], form?.[key]))
          onEdit()
        },
        [event, clear, changed, onEdit],
      ),
      leave: useCallback((id: string) => leave(keyOf(event, id)), [event, leave]),
    },
  }
}

/** Runs after the pointer press in progress, or immediately if there is none. */
function afterPress(run: () => void): void {
  if (!pressed) return run()
  const once = () => setTimeout(run)
  addEventListener('pointerup', once, { once: true })
}
let pressed = false
function usePresses(): void {
  useEffect(() => {
    const watched = { pointerdown: true, pointerup: false, pointercancel: false }
    const leave = new AbortController()
    for (const [type, is] of Object.entries(watched))
      addEventListener(type, () => (pressed = is), { capture: true, signal: leave.signal })
    return () => leave.abort()
  }, [])
}

/**
 * A section is complete when none of its answers is missing or wrong; a section without required
 * fields, when it has been visited.
 */
function useProgress(
  event: PublicEvent,
  data: RawAnswers,
  facts: PricingContext,
  shown: ReadonlySet<string>,
  must: ReadonlySet<string>,
  errors: FieldErrors,
  visited: ReadonlySet<string>,
): readonly SectionState[] {
  const states = useMemo(() => {
    const rootsOf = (found: FieldErrors) => new Set(Object.keys(found).map(rootOf))
    const open = rootsOf(findAnswerErrors(event, data, facts))
    const wrong = rootsOf(errors)
    const been = new Set([...visited].map(rootOf))
    return event.sections.map((section): SectionState => {
      const seen = section.fields.filter((id) => shown.has(id))
      if (seen.some((id) => wrong.has(id))) return 'wrong'
      if (seen.some((id) => open.has(id))) return 'open'
      return seen.some((id) => must.has(id) || been.has(id)) ? 'complete' : 'open'
    })
  }, [event, data, facts, shown, must, errors, visited])
  const key = states.join(' ')
  // eslint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => states, [key])
}

type FormBoxProps = {
  readonly form: RefObject<RjsfForm<RawAnswers> | null>
  readonly constants: FormConstants
  readonly data: RawAnswers
  readonly extra: ReturnType<typeof treeOf>
  readonly shown: ReadonlySet<string>
  readonly must: ReadonlySet<string>
  readonly progress: readonly SectionState[]
  /** The message of the field just left, for screen readers. */
  readonly heard: string
  readonly change: (form: RawAnswers | undefined, id: string | undefined) => void
  readonly leave: (id: string) => void
}

export function FormBox({
  form,
  constants,
  data,
  extra,
  shown,
  must,
  progress,
  heard,
  change,
  leave,
  tariff,
  more,
  submit,
}: FormBoxProps & {
  readonly tariff: Tariff
  readonly more: More
  readonly submit: () => void
}) {
  const { event } = constants
  const flat = useMemo(() => flatSchema(event) as RJSFSchema, [event])
  const ui = useMemo(() => more.uiOf(event), [more, event])
  return (
    <Shown value={shown}>
      <p className="vh" aria-live="polite">
        {heard}
      </p>
      <Must value={must}>
        <Progress value={progress}>
          <Prices value={tariff.is === 'here' ? tariff.answer : null}>
            <Form
              {...more.drawing}
              ref={form}
              id={FORM_ID}
              schema={flat}
              uiSchema={ui}
              validator={silent}
              formData={data}
              formContext={constants}
              extraErrors={extra as never}
              noHtml5Validate
              showErrorList={false}
              experimental_defaultFormStateBehavior={FIXED_BEHAVIOUR}
              onChange={(change_, id) => change(change_.formData, id)}
              onBlur={leave}
              onSubmit={submit}
            >
              {NO_SUBMIT_BUTTON}
            </Form>
          </Prices>
        </Progress>
      </Must>
    </Shown>
  )
}
