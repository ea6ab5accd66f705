/** Inserts elements, such as links, into messages of the catalogue. */
import { Fragment } from 'react'
import type { ReactNode } from 'react'
import type { ValueNames } from '../../engine/index.ts'

/** A value, or for `<link>text</link>` the element around the text. */
type Part = ReactNode | ((text: string) => ReactNode)

/** The message with an element for each `{value}` and `<element>text</element>`. */
export function richMessage<Message extends string>(
  message: Message,
  parts: Readonly<Record<ValueNames<Message>, Part>>,
): ReactNode {
  return message.split(/(\{\w+\}|<\w+>[^<]*<\/\w+>)/).map((piece, index) => {
    const [, value, element, text = ''] = /^(?:\{(\w+)\}|<(\w+)>([^<]*).*)$/.exec(piece) ?? []
    const part: Part = parts[(value ?? element) as ValueNames<Message>] ?? piece
    return <Fragment key={index}>{typeof part === 'function' ? part(text) : part}</Fragment>
  })
}
