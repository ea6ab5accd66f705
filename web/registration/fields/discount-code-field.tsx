/** The discount code field: applies a code, shows its effect, and removes it. */
import { categoryLabel } from '../../../engine/index.ts'
import { EXTENDED_FORM_MESSAGES } from '../../../engine/messages.ts'
import { useEffect, useId, useRef, useState } from 'react'
import type { PublicEvent } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { richMessage } from '../../ui/rich-message.tsx'
import './discount-code-field.css'

const { code: text } = EXTENDED_FORM_MESSAGES

export type CodeState =
  | { readonly is: 'none' }
  | { readonly is: 'asking'; readonly typed: string }
  | {
      readonly is: 'given'
      readonly typed: string
      readonly kind: string
      readonly label: string
    }
  | { readonly is: 'refused'; readonly typed: string; readonly text: string }

/** One line until it is opened, because most delegates have no code. */
export function CodeBox({
  event,
  state,
  apply,
  takeOff,
}: {
  readonly event: PublicEvent
  readonly state: CodeState
  readonly apply: (typed: string) => Promise<void>
  readonly takeOff: () => void
}) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState(state.is === 'none' ? '' : state.typed)
  const input = useRef<HTMLInputElement>(null)
  const off = useRef<HTMLButtonElement>(null)
  const isAsked = isOpen || state.is !== 'none'
  const was = useRef(state.is)
  const isTyped = isOpen && state.is !== 'given'
  useEffect(() => {
    // Focus the input only if the delegate opened it. With kept answers, no button was pressed.
    if (isTyped) input.current?.focus()
  }, [isTyped])
  useEffect(() => {
    // The button that was pressed no longer exists; focus the one that replaced it.
    if (was.current === 'asking' && state.is === 'given' && isOpen) off.current?.focus()
    if (state.is === 'refused') {
      setOpen(true)
      setTyped(state.typed)
      input.current?.focus()
    }
    was.current = state.is
  }, [state, isOpen])
  if (!isAsked)
    return (
      <p className="code">
        <button type="button" className="link" aria-expanded="false" onClick={() => setOpen(true)}>
          {text.open}
        </button>
      </p>
    )
  const message = state.is === 'refused' && typed === state.typed ? state.text : null
  return (
    <section className="code" aria-label={text.label}>
      <div role="status">
        {state.is === 'given' && (
          <p className="given">
            <Icon name="tick" />
            <span>
              <Applied event={event} {...state} />
            </span>
          </p>
        )}
      </div>
      {state.is === 'given' ? (
        <button
          ref={off}
          type="button"
          className="link"
          onClick={() => {
            takeOff()
            setTyped('')
            setOpen(true)
          }}
        >
          {text.remove}
        </button>
      ) : (
        <form
          noValidate
          onSubmit={(submit) => {
            submit.preventDefault()
            if (typed.trim() === '') input.current?.focus()
            else if (state.is !== 'asking') void apply(typed.trim())
          }}
        >
          <label className="lab" htmlFor={id}>
            {text.label}
          </label>
          {message !== null && (
            <p className="msg" id={`${id}-error`} role="alert">
              <Icon name="bang" />
              {message}
            </p>
          )}
          <div className="row">
            <input
              ref={input}
              id={id}
              className="inp"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              aria-invalid={message === null ? undefined : true}
              aria-describedby={message === null ? undefined : `${id}-error`}
            />
            <button type="submit" className="btn line" aria-disabled={state.is === 'asking'}>
              {state.is === 'asking' ? text.checking : text.apply}
            </button>
          </div>
        </form>
      )}
    </section>
  )
}

/** The effect of a code, unless its label already describes it. */
function Applied({
  event,
  typed,
  kind,
  label,
}: { readonly event: PublicEvent } & Extract<CodeState, { is: 'given' }>) {
  const gives = event.codeKinds.find(({ id }) => id === kind)?.gives
  const category =
    gives !== undefined && 'category' in gives ? categoryLabel(event, gives.category) : label
  const values = { code: <b>{typed}</b>, discount: label }
  return category === label
    ? richMessage(text.applied, values)
    : richMessage(text.appliedCategory, { ...values, category })
}
