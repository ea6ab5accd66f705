/** Inserts values into messages of the catalogue. */

/** The names of a message's `{values}` and `<elements>`. */
export type ValueNames<Message extends string> = Values<Message> | Elements<Message>

type Values<Message extends string> = Message extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Values<Rest>
  : never

type Elements<Message extends string> = Message extends `${string}</${infer Name}>${infer Rest}`
  ? Name | Elements<Rest>
  : never

/** Returns the message with its values inserted. A call without a required value does not compile. */
export function formatMessage<Message extends string>(
  message: Message,
  values: Readonly<Record<ValueNames<Message>, string | number>>,
): string {
  return message.replace(/\{(\w+)\}/g, (_all, name: string) =>
    String(values[name as ValueNames<Message>]),
  )
}

/** The singular and plural forms of a message. Languages with more plural forms add them. */
type PluralForms<One extends string, Other extends string> = {
  readonly one: One
  readonly other: Other
}

/** Returns the form of a message for this count: "1 file", "2 files". */
export function selectPluralForm<One extends string, Other extends string>(
  count: number,
  forms: PluralForms<One, Other>,
): One | Other {
  return new Intl.PluralRules('en').select(count) === 'one' ? forms.one : forms.other
}
