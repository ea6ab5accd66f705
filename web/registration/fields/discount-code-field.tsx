/** The discount code field: applies a code, shows its effect, and removes it. */
import { getCategoryLabel } from '../../../engine/index.ts'
import { EXTENDED_FORM_MESSAGES } from '../../../engine/messages.ts'
import { useEffect, useId, useRef, useState } from 'react'
import type { PublicEvent } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { renderMessage } from '../../ui/rich-message.tsx'
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

/** Shows one line until it is opened, because most delegates have no code. */
export function DiscountCodeField({
  event,
  state,
  onApply,
  onRemove,
}: {
  readonly event: PublicEvent
  readonly state: CodeState
  readonly onApply: (typedCode: string) => Promise<void>
  readonly onRemove: () => void
}) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const [typedCode, setTypedCode] = useState(state.is === 'none' ? '' : state.typed)
  const input = useRef<HTMLInputElement>(null)
  const removeButton = useRef<HTMLButtonElement>(null)
  const isExpanded = isOpen || state.is !== 'none'
  const previousState = useRef(state.is)
  const isInputShown = isOpen && state.is !== 'given'
  useEffect(() => {
    // Focus the input only if the delegate opened it. A restored code was not opened.
    if (isInputShown) input.current?.focus()
  }, [isInputShown])
  useEffect(() => {
    // The pressed button has disappeared, so the button that replaced it receives focus.
    if (previousState.current === 'asking' && state.is === 'given' && isOpen)
      removeButton.current?.focus()
    if (state.is === 'refused') {
      setOpen(true)
      setTypedCode(state.typed)
      input.current?.focus()
    }
    previousState.current = state.is
  }, [state, isOpen])
  if (!isExpanded)
    return (
      <p className="code">
        <button type="button" className="link" aria-expanded="false" onClick={() => setOpen(true)}>
          {text.open}
        </button>
      </p>
    )
  const message = state.is === 'refused' && typedCode === state.typed ? state.text : null
  return (
    <section className="code" aria-label={text.label}>
      <div role="status">
        {state.is === 'given' && (
          <p className="applied-code">
            <Icon name="tick" />
            <span>
              <AppliedCode event={event} {...state} />
            </span>
          </p>
        )}
      </div>
      {state.is === 'given' ? (
        <button
          ref={removeButton}
          type="button"
          className="link"
          onClick={() => {
            onRemove()
            setTypedCode('')
            setOpen(true)
          }}
        >
          {text.remove}
        </button>
      ) : (
        <form
          noValidate
          onSubmit={(submitEvent) => {
            submitEvent.preventDefault()
            if (typedCode.trim() === '') input.current?.focus()
            else if (state.is !== 'asking') void onApply(typedCode.trim())
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
              value={typedCode}
              onChange={(event) => setTypedCode(event.target.value)}
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

/** Shows the effect of a code, unless its label already describes it. */
function AppliedCode({
  event,
  typed: typedCode,
  kind,
  label,
}: { readonly event: PublicEvent } & Extract<CodeState, { is: 'given' }>) {
  const discount = event.codeKinds.find(({ id }) => id === kind)?.gives
  const category =
    discount !== undefined && 'category' in discount
      ? getCategoryLabel(event, discount.category)
      : label
  const values = { code: <b>{typedCode}</b>, discount: label }
  return category === label
    ? renderMessage(text.applied, values)
    : renderMessage(text.appliedCategory, { ...values, category })
}
