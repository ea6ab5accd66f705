/** The form's state: answers, shown and required fields, and validation messages. */
import type RjsfForm from '@rjsf/core'
import type { RJSFSchema, ValidatorType } from '@rjsf/utils'
import { createPrecompiledValidator } from '@rjsf/validator-ajv8'
import type { ErrorObject } from 'ajv'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { RefObject } from 'react'
import { runAfterPress, usePointerTracking } from '../../ui/forms/pointer-press.ts'
import {
  findCategory,
  findAnswerErrors,
  buildFlatSchema,
  matchesCondition,
  normalise,
  findVisibleFields,
  toMessages,
} from '../../../engine/index.ts'
import type {
  Answers,
  PricingContext,
  FieldErrors,
  PublicEvent,
  RawAnswers,
} from '../../../engine/index.ts'
import type { EventResponse } from '../../../engine/api.ts'
import { RequiredFields, Prices, Progress, ShownFields } from './form-context.ts'
import type { FormConstants, SectionState } from './form-context.ts'
import { Form } from './rjsf-theme.tsx'
import { buildInitialAnswers } from '../draft-storage.ts'
import { FORM_ID, toFieldKey, moveErrors, getRootField, toErrorTree } from './field-keys.ts'
import type { FormExtensions, FormPricingContext } from './form-extensions.ts'
import type { DocumentUploads } from '../uploads/upload-progress.ts'
import type { Tariff } from '../price/live-price.ts'
import { formatFieldError } from './error-summary.tsx'
import './registration-form.css'

/** Accepts everything, because RJSF only renders. Throws if a schema makes RJSF validate. */
const NO_VALIDATION: ValidatorType<RawAnswers> = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  isValid: () => {
    throw new Error('RJSF called its validator: the flat schema contains a condition')
  },
  rawValidation: () => ({ errors: [] }),
}
const NO_SUBMIT_BUTTON = <></>
const FIXED_BEHAVIOUR = { emptyObjectFields: 'skipDefaults', constAsDefaults: 'never' } as const

/** State of the answers, and the operations on them. */
export type FormState = {
  readonly data: RawAnswers
  readonly answers: Answers
  readonly shownFields: ReadonlySet<string>
  readonly required: ReadonlySet<string>
  readonly errors: FieldErrors
  readonly progress: readonly SectionState[]
  readonly uploads: DocumentUploads
  /** Validates all answers, or the given fields. Returns the key of the first error, or null. */
  readonly validateAnswers: (only?: readonly string[]) => string | null
  readonly setErrors: (errors: FieldErrors) => void
  readonly reset: () => void
  /** Replaces all answers. The text and caret of existing inputs stay as they are. */
  readonly replaceAnswers: (data: RawAnswers) => void
  /** The number of times that all answers have been replaced. */
  readonly replacements: number
  readonly formProps: FormBoxProps
}

/** Returns the same set while its members are equal, so that contexts change only when necessary. */
function useStableSet(set: ReadonlySet<string>): ReadonlySet<string> {
  const key = [...set].join(' ')
  // eslint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => set, [key])
}

/**
 * Validates on submit with the server's compiled validator, which is loaded while the delegate types.
 * Until it has loaded, or if loading fails, uses the engine's validation, which returns the same result.
 */
function useValidator(
  { event, schema, validator_url }: EventResponse,
  context: PricingContext,
): (raw: RawAnswers) => FieldErrors {
  const compiledValidator = useRef<((answers: Answers) => ErrorObject[]) | null>(null)
  useEffect(() => {
    if (validator_url === null) return
    void import(/* @vite-ignore */ validator_url)
      .then((module: { default: Parameters<typeof createPrecompiledValidator>[0] }) => {
        const validator = createPrecompiledValidator(module.default, schema as RJSFSchema)
        compiledValidator.current = (answers) =>
          validator.rawValidation<ErrorObject>(schema as RJSFSchema, answers).errors ?? []
      })
      .catch(() => {
        compiledValidator.current = null
      })
  }, [schema, validator_url])
  return useCallback(
    (formData) => {
      if (compiledValidator.current === null) return findAnswerErrors(event, formData, context)
      const { answers } = normalise(event, formData, context)
      return toMessages(event, compiledValidator.current(answers), answers)
    },
    [event, context],
  )
}

/** The part of the pricing context (form-extensions.ts) that validation needs. */
type ValidationContext = Pick<
  FormPricingContext,
  'context' | 'errors' | 'startLookup' | 'onAnswerChange'
>

export function useForm(
  page: EventResponse,
  initialData: RawAnswers,
  validationContext: ValidationContext,
  uploads: DocumentUploads,
  onEdit: () => void,
): FormState {
  const { event } = page
  const { context, errors: knownErrors, startLookup, onAnswerChange } = validationContext
  const validate = useValidator(page, context)
  usePointerTracking()
  const [data, setData] = useState<RawAnswers>(initialData)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [visitedKeys, setVisitedKeys] = useState<ReadonlySet<string>>(new Set())
  const constants = useMemo<FormConstants>(
    () => ({
      event,
      fields: new Map(
        event.fields.flatMap((field) => [
          [field.id, field] as const,
          ...(field.fields ?? []).map((nested) => [`${field.id}.${nested.id}`, nested] as const),
        ]),
      ),
      uploads,
    }),
    [event, uploads],
  )

  const answers = useMemo(() => normalise(event, data, context).answers, [event, data, context])
  const shownFields = useStableSet(
    useMemo(() => findVisibleFields(event, answers, context), [event, answers, context]),
  )
  const required = useStableSet(
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
  const progress = useProgress(event, data, context, shownFields, required, errors, visitedKeys)
  /** Shown fields in the order of the form. */
  const shownErrors = useMemo(
    () =>
      Object.fromEntries(
        event.fields.flatMap(({ id }) =>
          shownFields.has(id)
            ? Object.entries(errors).filter(([key]) => getRootField(key) === id)
            : [],
        ),
      ),
    [event, shownFields, errors],
  )
  const extraErrors = useMemo(() => toErrorTree(shownErrors), [shownErrors])

  const [announcement, setAnnouncement] = useState('')
  const latest = useRef({ data, context })
  latest.current = { data, context }
  // Lookup errors arrive after the field has lost focus.
  useEffect(() => {
    const [[id, text] = []] = Object.entries(knownErrors)
    if (id === undefined || text === undefined) return
    setErrors((previous) => ({ ...previous, ...knownErrors }))
    setAnnouncement(formatFieldError(event, id, text))
  }, [event, knownErrors])
  /** Removes the message of a field while its answer is being corrected. */
  const clearError = useCallback(
    (id: string) =>
      setErrors((previous) => {
        if (!(id in previous)) return previous
        const { [id]: _cleared, ...rest } = previous
        return rest
      }),
    [],
  )
  // The answer to a file field is the file's name, even if the file was sent earlier.
  useEffect(() => {
    const updateFileAnswers = (onEdited: () => void) => {
      const all = uploads.all()
      for (const { id } of event.fields.filter(({ type }) => type === 'file')) {
        const name = all.get(id)?.name ?? ''
        if (String(latest.current.data[id] ?? '') === name) continue
        latest.current.data = { ...latest.current.data, [id]: name }
        setData((previous) => ({ ...previous, [id]: name }))
        clearError(id)
        onEdited()
      }
    }
    uploads.restore()
    updateFileAnswers(() => {})
    return uploads.subscribe(() => updateFileAnswers(onEdit))
  }, [event, uploads, clearError, onEdit])
  /** A new message moves the page down, so it must wait until the press has ended. */
  const onLeave = useCallback(
    (id: string) => {
      setVisitedKeys((previous) => (previous.has(id) ? previous : new Set([...previous, id])))
      runAfterPress(() => {
        const { data, context } = latest.current
        startLookup(id, data[id])
        const text = findAnswerErrors(event, data, context)[id]
        setAnnouncement(text === undefined ? '' : formatFieldError(event, id, text))
        if (text !== undefined) setErrors((previous) => ({ ...previous, [id]: text }))
      })
    },
    [event, startLookup],
  )

  const validateAnswers = (onlyFields?: readonly string[]) => {
    const foundErrors = Object.entries({ ...validate(data), ...knownErrors }).filter(
      ([key]) => onlyFields?.includes(getRootField(key)) ?? true,
    )
    setErrors(Object.fromEntries(foundErrors))
    return foundErrors[0]?.[0] ?? null
  }
  const reset = useCallback(() => {
    uploads.clear()
    setData(buildInitialAnswers(event))
    setErrors({})
    setVisitedKeys(new Set())
  }, [event, uploads])

  const form = useRef<RjsfForm<RawAnswers>>(null)
  const [replacements, setReplacements] = useState(0)
  const replaceAnswers = useCallback((newAnswers: RawAnswers) => {
    // Update through RJSF's own state; otherwise it would first render its old state over the typed
    // text.
    form.current?.onChange(newAnswers, [])
    setReplacements((count) => count + 1)
  }, [])

  return {
    data,
    answers,
    replaceAnswers,
    replacements,
    shownFields,
    required,
    progress,
    validateAnswers,
    setErrors,
    reset,
    errors: shownErrors,
    uploads,
    formProps: {
      form,
      constants,
      data,
      extra: extraErrors,
      shownFields,
      required,
      progress,
      announcement,
      onChange: useCallback(
        (form: RawAnswers | undefined, id: string | undefined) => {
          const previousData = latest.current.data
          setData((previous) => ({ ...previous, ...form }))
          // Replacing all answers is not an edit by the delegate.
          if (id === undefined) return
          const key = toFieldKey(event, id)
          clearError(key)
          onAnswerChange(key)
          setErrors((previous) => moveErrors(previous, key, previousData[key], form?.[key]))
          onEdit()
        },
        [event, clearError, onAnswerChange, onEdit],
      ),
      onLeave: useCallback((id: string) => onLeave(toFieldKey(event, id)), [event, onLeave]),
    },
  }
}

/**
 * Returns the state of each section. A section is complete when no answer is missing or invalid. A section without
 * required fields is complete when it has been visited.
 */
function useProgress(
  event: PublicEvent,
  data: RawAnswers,
  context: PricingContext,
  shownFields: ReadonlySet<string>,
  required: ReadonlySet<string>,
  errors: FieldErrors,
  visitedKeys: ReadonlySet<string>,
): readonly SectionState[] {
  const states = useMemo(() => {
    const listRootFields = (errors: FieldErrors) => new Set(Object.keys(errors).map(getRootField))
    const unfinishedFields = listRootFields(findAnswerErrors(event, data, context))
    const invalidFields = listRootFields(errors)
    const visitedFields = new Set([...visitedKeys].map(getRootField))
    return event.sections.map((section): SectionState => {
      const shownIds = section.fields.filter((id) => shownFields.has(id))
      if (shownIds.some((id) => invalidFields.has(id))) return 'wrong'
      if (shownIds.some((id) => unfinishedFields.has(id))) return 'open'
      return shownIds.some((id) => required.has(id) || visitedFields.has(id)) ? 'complete' : 'open'
    })
  }, [event, data, context, shownFields, required, errors, visitedKeys])
  const key = states.join(' ')
  // eslint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => states, [key])
}

type FormBoxProps = {
  readonly form: RefObject<RjsfForm<RawAnswers> | null>
  readonly constants: FormConstants
  readonly data: RawAnswers
  readonly extra: ReturnType<typeof toErrorTree>
  readonly shownFields: ReadonlySet<string>
  readonly required: ReadonlySet<string>
  readonly progress: readonly SectionState[]
  /** The message of the field just left, for screen readers. */
  readonly announcement: string
  readonly onChange: (form: RawAnswers | undefined, id: string | undefined) => void
  readonly onLeave: (id: string) => void
}

export function FormBox({
  form,
  constants,
  data,
  extra: extraErrors,
  shownFields,
  required,
  progress,
  announcement,
  onChange,
  onLeave,
  tariff,
  extensions,
  onSubmit,
}: FormBoxProps & {
  readonly tariff: Tariff
  readonly extensions: FormExtensions
  readonly onSubmit: () => void
}) {
  const { event } = constants
  const rjsfSchema = useMemo(() => buildFlatSchema(event) as RJSFSchema, [event])
  const ui = useMemo(() => extensions.buildUiSchema(event), [extensions, event])
  return (
    <ShownFields value={shownFields}>
      <p className="vh" aria-live="polite">
        {announcement}
      </p>
      <RequiredFields value={required}>
        <Progress value={progress}>
          <Prices value={tariff.is === 'loaded' ? tariff.response : null}>
            <Form
              {...extensions.overrides}
              ref={form}
              id={FORM_ID}
              schema={rjsfSchema}
              uiSchema={ui}
              validator={NO_VALIDATION}
              formData={data}
              formContext={constants}
              extraErrors={extraErrors as never}
              noHtml5Validate
              showErrorList={false}
              experimental_defaultFormStateBehavior={FIXED_BEHAVIOUR}
              onChange={(change_, id) => onChange(change_.formData, id)}
              onBlur={onLeave}
              onSubmit={onSubmit}
            >
              {NO_SUBMIT_BUTTON}
            </Form>
          </Prices>
        </Progress>
      </RequiredFields>
    </ShownFields>
  )
}
