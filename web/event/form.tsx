/** The answers while they are given: what is shown, what is missing, what each edit and each submit does to the messages. */
import type { RJSFSchema, ValidatorType } from '@rjsf/utils'
import { createPrecompiledValidator } from '@rjsf/validator-ajv8'
import type { ErrorObject } from 'ajv'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import {
  categoryOf,
  errorsOf,
  flatSchema,
  holds,
  normalise,
  shownFields,
  toMessages,
} from '../../engine/index.ts'
import type {
  Answers,
  EventAnswer,
  FieldErrors,
  PublicEvent,
  RawAnswers,
} from '../../engine/index.ts'
import { Must, Prices, Progress, Shown } from './context.ts'
import type { FormConstants, SectionState } from './context.ts'
import { Form } from './drawing.tsx'
import { startOf } from '../shared/keep.ts'
import type { Tariff } from './price.ts'
import { sentenceOf } from './problems.tsx'
import { uiOf } from './ui.ts'
import '../styles/form.css'

/** RJSF only draws; it may not judge. A slip that makes it ask is loud. */
const silent: ValidatorType<RawAnswers> = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  isValid: () => {
    throw new Error('RJSF asked its validator: the flat schema holds a condition')
  },
  rawValidation: () => ({ errors: [] }),
}
const NO_SUBMIT_BUTTON = <></>
const FIXED_BEHAVIOUR = { emptyObjectFields: 'skipDefaults', constAsDefaults: 'never' } as const

/** Everything the page knows of the answers, and what it may do with them. */
export type FormState = {
  readonly data: RawAnswers
  readonly answers: Answers
  readonly shown: ReadonlySet<string>
  readonly must: ReadonlySet<string>
  readonly errors: FieldErrors
  readonly progress: readonly SectionState[]
  readonly files: ReadonlyMap<string, File>
  /** Judges everything; true when it may be sent. */
  readonly check: () => boolean
  readonly setErrors: (errors: FieldErrors) => void
  readonly reset: () => void
  readonly formProps: FormBoxProps
}

/** The same set object while its members stay the same, so that contexts change only when something does. */
function useSteady(set: ReadonlySet<string>): ReadonlySet<string> {
  const key = [...set].join(' ')
  // eslint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => set, [key])
}

/**
 * The verdict on submit: the server's compiled validator of the full schema, fetched while the
 * delegate types. Until it is here, or where it cannot be loaded, the engine's own check says the same.
 */
function useJudge({ event, schema, validator_url }: EventAnswer): (raw: RawAnswers) => FieldErrors {
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
    (raw) =>
      compiled.current
        ? toMessages(event, compiled.current(normalise(event, raw).answers))
        : errorsOf(event, raw),
    [event],
  )
}

export function useForm(page: EventAnswer, begin: RawAnswers, onEdit: () => void): FormState {
  const { event } = page
  const judge = useJudge(page)
  const [data, setData] = useState<RawAnswers>(begin)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set())
  const constants = useMemo<FormConstants>(
    () => ({
      event,
      fields: new Map(event.fields.map((field) => [field.id, field])),
      files: new Map(),
    }),
    [event],
  )

  const answers = useMemo(() => normalise(event, data).answers, [event, data])
  const shown = useSteady(useMemo(() => shownFields(event, answers), [event, answers]))
  const must = useSteady(
    useMemo(
      () =>
        new Set(
          event.fields
            .filter(
              ({ required }) =>
                required &&
                (!required.when || holds(required.when, answers, categoryOf(event, answers))),
            )
            .map((field) => field.id),
        ),
      [event, answers],
    ),
  )
  const progress = useProgress(event, data, shown, must, errors, visited)
  const extra = useMemo(
    () =>
      Object.fromEntries(
        Object.entries(errors)
          .filter(([id]) => shown.has(id))
          .map(([id, text]) => [id, { __errors: [text] }]),
      ),
    [errors, shown],
  )

  const [heard, setHeard] = useState('')
  const latest = useRef(data)
  latest.current = data
  /** Takes back the message of a question whose answer is being mended. */
  const clear = useCallback(
    (id: string) =>
      setErrors((old) => {
        if (!(id in old)) return old
        const { [id]: _cleared, ...rest } = old
        return rest
      }),
    [],
  )
  /** A message that appears pushes the page down; wait until the press that caused it has landed. */
  const leave = useCallback(
    (id: string) => {
      setVisited((old) => (old.has(id) ? old : new Set([...old, id])))
      afterPress(() => {
        const text = errorsOf(event, latest.current)[id]
        setHeard(text === undefined ? '' : sentenceOf(event, id, text))
        if (text !== undefined) setErrors((old) => ({ ...old, [id]: text }))
      })
    },
    [event],
  )

  const check = () => {
    const found = judge(data)
    setErrors(found)
    return Object.keys(found).length === 0
  }
  const reset = useCallback(() => {
    constants.files.clear()
    setData(startOf(event))
    setErrors({})
    setVisited(new Set())
  }, [constants, event])

  return {
    data,
    answers,
    shown,
    must,
    progress,
    check,
    setErrors,
    reset,
    errors: useMemo(
      () =>
        Object.fromEntries(
          event.fields.flatMap(({ id }) =>
            shown.has(id) && errors[id] !== undefined ? [[id, errors[id]]] : [],
          ),
        ),
      [event, shown, errors],
    ),
    files: constants.files,
    formProps: {
      constants,
      data,
      extra,
      shown,
      must,
      progress,
      heard,
      change: useCallback(
        (form: RawAnswers | undefined, id: string | undefined) => {
          setData((old) => ({ ...old, ...form }))
          if (id) clear(id.replace(/^root_/, ''))
          onEdit()
        },
        [clear, onEdit],
      ),
      leave,
    },
  }
}

/** Runs after the pointer press in progress, if there is one, else at once. */
function afterPress(run: () => void): void {
  if (!pressed) return run()
  const once = () => setTimeout(run)
  addEventListener('pointerup', once, { once: true })
}
let pressed = false
addEventListener(
  'pointerdown',
  () => {
    pressed = true
  },
  { capture: true },
)
addEventListener(
  'pointerup',
  () => {
    pressed = false
  },
  { capture: true },
)
addEventListener(
  'pointercancel',
  () => {
    pressed = false
  },
  { capture: true },
)

/** A section is complete when nothing in it is missing or wrong; one that asks for nothing, when it has been visited. */
function useProgress(
  event: PublicEvent,
  data: RawAnswers,
  shown: ReadonlySet<string>,
  must: ReadonlySet<string>,
  errors: FieldErrors,
  visited: ReadonlySet<string>,
): readonly SectionState[] {
  const states = useMemo(() => {
    const open = errorsOf(event, data)
    return event.sections.map((section): SectionState => {
      const seen = section.fields.filter((id) => shown.has(id))
      if (seen.some((id) => id in errors)) return 'wrong'
      if (seen.some((id) => id in open)) return 'open'
      return seen.some((id) => must.has(id) || visited.has(id)) ? 'complete' : 'open'
    })
  }, [event, data, shown, must, errors, visited])
  const key = states.join(' ')
  // eslint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => states, [key])
}

type FormBoxProps = {
  readonly constants: FormConstants
  readonly data: RawAnswers
  readonly extra: Readonly<Record<string, { readonly __errors: string[] }>>
  readonly shown: ReadonlySet<string>
  readonly must: ReadonlySet<string>
  readonly progress: readonly SectionState[]
  /** The message of the question just left, for those who do not see it appear. */
  readonly heard: string
  readonly change: (form: RawAnswers | undefined, id: string | undefined) => void
  readonly leave: (id: string) => void
}

/** The form's id: the pay button stands outside it and names it. */
export const FORM_ID = 'registration'

export function FormBox({
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
  submit,
}: FormBoxProps & { readonly tariff: Tariff; readonly submit: () => void }) {
  const { event } = constants
  const flat = useMemo(() => flatSchema(event) as RJSFSchema, [event])
  const ui = useMemo(() => uiOf(event), [event])
  return (
    <Shown value={shown}>
      <p className="vh" aria-live="polite">
        {heard}
      </p>
      <Must value={must}>
        <Progress value={progress}>
          <Prices value={tariff.is === 'here' ? tariff.answer : null}>
            <Form
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
              onBlur={(id) => leave(id.replace(/^root_/, ''))}
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
