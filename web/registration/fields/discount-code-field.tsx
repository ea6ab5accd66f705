/** The discount code field: applies a code, shows its effect, and removes it. */
import { labelOfCategory } from '../../../engine/index.ts'
import { useEffect, useId, useRef, useState } from 'react'
import type { PublicEvent } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import './discount-code-field.css'

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
          Have a code?
        </button>
      </p>
    )
  const message = state.is === 'refused' && typed === state.typed ? state.text : null
  return (
    <section className="code" aria-label="Code">
      <div role="status">
        {state.is === 'given' && (
          <p className="given">
            <Icon name="tick" />
            <span>
              <b>{state.typed}</b>: {state.label}
              {givenBy(event, state.kind, state.label)}
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
          Remove code
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
            Code
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
              {state.is === 'asking' ? 'Looking …' : 'Use code'}
            </button>
          </div>
        </form>
      )}
    </section>
  )
}

/** The effect of a code, unless its label already describes it. */
function givenBy(event: PublicEvent, kind: string, label: string): string {
  const gives = event.codeKinds.find(({ id }) => id === kind)?.gives
  if (gives === undefined || !('category' in gives)) return ''
  const category = labelOfCategory(event, gives.category)
  return category === label ? '' : `. You are registering as ${category}`
}
