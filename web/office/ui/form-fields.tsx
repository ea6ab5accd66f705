/** Office forms: labelled fields with their errors, and a submit button. */
import { useMutation } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useId, useRef } from 'react'
import type { ComponentProps, ReactNode } from 'react'
import type { Reader } from '../../app/api-client.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { readStringRecord } from '../../app/json-readers.ts'
import { callApi } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner } from './error-banner-and-heading.tsx'
import { Progress } from '../jobs/progress.tsx'
import './form-fields.css'

/** Errors by field name. */
const FieldErrors = createContext<Readonly<Record<string, string>>>({})

type ApiFormProps<T> = {
  readonly path: string
  readonly read: Reader<T>
  readonly onDone: (value: T) => void
  readonly button: string
  /** Accessible name of the form. */
  readonly label: string
  /** Values sent in addition to the fields. They replace fields with the same name. */
  readonly extraValues?: (form: FormData) => Readonly<Record<string, unknown>>
  readonly isQuiet?: boolean
  readonly children?: ReactNode
}

/**
 * Sends the values of the fields to the API. Shows errors next to the fields and keeps the input.
 * Clears the form on success.
 */
export function ApiForm<T>(props: ApiFormProps<T>) {
  const { path, read, onDone, button, label, extraValues, isQuiet = false, children } = props
  const form = useRef<HTMLFormElement>(null)
  const submission = useMutation({
    mutationFn: (json: Readonly<Record<string, unknown>>) =>
      callApi(path, read, { method: 'POST', json }),
    onSuccess: (value) => {
      form.current?.reset()
      onDone(value)
    },
  })
  const submitError = useSignInOn401(submission.error)
  const errors = readStringRecord(submitError?.errorResponse?.errors) ?? {}
  const hasFieldError = Object.keys(errors).some((name) => form.current?.elements.namedItem(name))
  useEffect(() => {
    if (submitError !== null)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [submitError])
  return (
    <form
      ref={form}
      className="stacked-form"
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const data = new FormData(event.currentTarget)
        const values = [...data].filter(([, value]) => typeof value === 'string')
        submission.mutate({ ...Object.fromEntries(values), ...extraValues?.(data) })
      }}
    >
      {submitError && !hasFieldError && (
        <Banner text={submitError.message} onDismiss={() => submission.reset()} />
      )}
      <FieldErrors.Provider value={errors}>{children}</FieldErrors.Provider>
      <button
        type="submit"
        className={isQuiet ? 'btn line sm' : 'btn sm'}
        disabled={submission.isPending}
      >
        {button}
      </button>
    </form>
  )
}

/** Shows a text input with its label and error above, and a hint below. */
export function Field({
  label,
  hint,
  ...input
}: { readonly label: string; readonly hint?: string; readonly name: string } & Omit<
  ComponentProps<'input'>,
  'id' | 'name'
>) {
  const id = useId()
  const error = useContext(FieldErrors)[input.name]
  const describedBy = [
    error === undefined ? '' : `${id}-wrong`,
    hint === undefined ? '' : `${id}-hint`,
  ]
    .filter((id) => id !== '')
    .join(' ')
  return (
    <div className={error === undefined ? 'labelled-field' : 'labelled-field wrong'}>
      <label htmlFor={id}>{label}</label>
      {error !== undefined && <FieldError id={`${id}-wrong`} text={error} />}
      <input
        id={id}
        aria-invalid={error !== undefined}
        {...(describedBy !== '' && { 'aria-describedby': describedBy })}
        {...input}
      />
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** Shows a field for a six-digit code from an authenticator app, or a recovery code. */
export function CodeField() {
  return (
    <Field
      name="code"
      label="Code from your authenticator app"
      hint="Six digits, or one of your recovery codes."
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
    />
  )
}

/** Shows the last part of a dialog's form: the reason, the submit button, and Cancel. */
export function ReasonAndButtons({
  submitLabel,
  isPending,
  cancelLabel = 'Cancel',
  onCancel,
}: {
  readonly submitLabel: string
  readonly isPending: boolean
  readonly cancelLabel?: 'Cancel' | 'Stop'
  readonly onCancel: () => void
}) {
  return (
    <>
      <label>
        Reason
        <textarea name="why" rows={3} maxLength={500} required autoComplete="off" />
      </label>
      <div className="actions">
        <button type="submit" className="btn" disabled={isPending}>
          {submitLabel}
        </button>
        <button type="button" className="btn line" onClick={onCancel}>
          {cancelLabel}
        </button>
      </div>
    </>
  )
}

const UPLOAD_LABEL = 'Uploading the file and matching its payments…'

/** Shows a form that uploads a spreadsheet and matches its lines with payments. `children` contains further fields. */
export function SpreadsheetForm({
  label,
  isPending,
  onChoose,
  onSubmit,
  children,
}: {
  readonly label: string
  readonly isPending: boolean
  readonly onChoose: (file: File | null) => void
  readonly onSubmit: () => void
  readonly children?: ReactNode
}) {
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <label>
        {label}
        <input
          type="file"
          accept=".csv,.xlsx,text/csv"
          required
          onChange={({ target }) => onChoose(target.files?.[0] ?? null)}
        />
      </label>
      {children}
      <button type="submit" className="btn" disabled={isPending}>
        Match payments
      </button>
      {/* There is no Stop button, because the server may already have saved the file. */}
      {isPending && <Progress label={UPLOAD_LABEL} total={null} />}
      {/* A status that appears together with its text is not announced. */}
      <p role="status" className="vh">
        {isPending && UPLOAD_LABEL}
      </p>
    </form>
  )
}

function FieldError({ id, text }: { readonly id: string; readonly text: string }) {
  return (
    <p className="field-error" id={id}>
      <Icon name="bang" small />
      {text}
    </p>
  )
}
