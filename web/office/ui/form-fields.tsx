/** The small forms of the office: labelled fields with their errors, and a submit button. */
import { useMutation } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useId, useRef } from 'react'
import type { ComponentProps, ReactNode } from 'react'
import type { Reader } from '../../app/api-client.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { textsOf } from '../../app/json-readers.ts'
import { ask } from '../office-api-and-urls.ts'
import { useLeaveOn401 } from '../expired-session.ts'
import { Banner } from './error-banner-and-heading.tsx'
import './form-fields.css'

/** Errors by field name. */
const Wrong = createContext<Readonly<Record<string, string>>>({})

type AskingProps<T> = {
  readonly call: string
  readonly read: Reader<T>
  readonly onDone: (value: T) => void
  readonly button: string
  /** Accessible name of the form. */
  readonly label: string
  /** Values sent in addition to the fields, or in their place. */
  readonly more?: (form: FormData) => Readonly<Record<string, unknown>>
  readonly quiet?: boolean
  readonly children?: ReactNode
}

/**
 * Sends the fields' values. Shows errors at the fields and keeps the input; clears the form on
 * success.
 */
export function Asking<T>(props: AskingProps<T>) {
  const { call, read, onDone, button, label, more, quiet = false, children } = props
  const form = useRef<HTMLFormElement>(null)
  const asking = useMutation({
    mutationFn: (json: Readonly<Record<string, unknown>>) =>
      ask(call, read, { method: 'POST', json }),
    onSuccess: (value) => {
      form.current?.reset()
      onDone(value)
    },
  })
  const refused = useLeaveOn401(asking.error)
  const wrong = textsOf(refused?.answer?.errors) ?? {}
  const isAtField = Object.keys(wrong).some((name) => form.current?.elements.namedItem(name))
  useEffect(() => {
    if (refused !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [refused])
  return (
    <form
      ref={form}
      className="asking"
      aria-label={label}
      noValidate
      onSubmit={(submitted) => {
        submitted.preventDefault()
        const data = new FormData(submitted.currentTarget)
        const words = [...data].filter(([, value]) => typeof value === 'string')
        asking.mutate({ ...Object.fromEntries(words), ...more?.(data) })
      }}
    >
      {refused && !isAtField && <Banner text={refused.message} onDismiss={() => asking.reset()} />}
      <Wrong.Provider value={wrong}>{children}</Wrong.Provider>
      <button
        type="submit"
        className={quiet ? 'btn line sm' : 'btn sm'}
        disabled={asking.isPending}
      >
        {button}
      </button>
    </form>
  )
}

/** A text input with its label above, a hint below, and its error in between. */
export function Field({
  label,
  hint,
  ...input
}: { readonly label: string; readonly hint?: string; readonly name: string } & Omit<
  ComponentProps<'input'>,
  'id' | 'name'
>) {
  const id = useId()
  const wrong = useContext(Wrong)[input.name]
  const said = [wrong === undefined ? '' : `${id}-wrong`, hint === undefined ? '' : `${id}-hint`]
    .filter((one) => one !== '')
    .join(' ')
  return (
    <div className={wrong === undefined ? 'lf' : 'lf wrong'}>
      <label htmlFor={id}>{label}</label>
      {wrong !== undefined && <Mistake id={`${id}-wrong`} text={wrong} />}
      <input
        id={id}
        aria-invalid={wrong !== undefined}
        {...(said !== '' && { 'aria-describedby': said })}
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

/** A six-digit code from an authenticator app, or a recovery code. */
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

function Mistake({ id, text }: { readonly id: string; readonly text: string }) {
  return (
    <p className="ferr" id={id}>
      <Icon name="bang" small />
      {text}
    </p>
  )
}
