/** Inserts elements, such as links, into messages from the catalogue. */
import { Fragment } from 'react'
import type { ReactNode } from 'react'
import type { ValueNames } from '../../engine/messages.ts'

/** A value, or for `<link>text</link>` the element around the text. */
type Part = ReactNode | ((text: string) => ReactNode)

/** Renders text for screen readers only. */
export const renderHiddenText = (text: string): ReactNode => <span className="vh">{text}</span>

/**
 * Renders the message with an element for each `{value}` and `<element>text</element>`. An element's text may contain
 * values that are text.
 */
export function renderMessage<Message extends string>(
  message: Message,
  parts: Readonly<Record<ValueNames<Message>, Part>>,
): ReactNode {
  const findPart = (name: string): Part => parts[name as ValueNames<Message>]
  return message.split(/(\{\w+\}|<\w+>[^<]*<\/\w+>)/).map((segment, index) => {
    const [, value, element, text = ''] = /^(?:\{(\w+)\}|<(\w+)>([^<]*).*)$/.exec(segment) ?? []
    const part = findPart(value ?? element ?? '') ?? segment
    return (
      <Fragment key={index}>
        {typeof part === 'function'
          ? part(text.replace(/\{(\w+)\}/g, (_all, name: string) => String(findPart(name))))
          : part}
      </Fragment>
    )
  })
}
