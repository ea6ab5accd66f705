/** The field of one question about a new conference. */
import { useId } from 'react'
import { INR } from '../../../engine/index.ts'
import type { NewEventAnswers, Question } from '../../../engine/authoring.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'

type AnswerFieldProps = {
  readonly question: Question
  readonly earlierAnswers: NewEventAnswers
  /** Id of the heading that asks the question. */
  readonly labelledBy: string
  readonly value: string
  readonly problem: string | null
  readonly onChange: (text: string) => void
}

const YES_NO = [
  ['yes', 'Yes'],
  ['no', 'No'],
] as const
const GST = [
  ['none', 'No GST is charged'],
  ['inside', 'The prices include 18% GST'],
  ['on top', '18% GST is added to the prices'],
] as const

const ON_SITE = [
  ['', 'Not sure yet'],
  ['online', 'Yes, online and at the registration desk'],
  ['desk', 'Only at the registration desk: the form closes the day before'],
  ['none', 'No, registration closes the day before'],
] as const

/** Help texts that replace the default one. */
const HELP: Readonly<Partial<Record<Question['name'], string>>> = {
  title: 'As in the brochure, including the year.',
  free: 'Not sure yet? Leave it empty. The file will include prices.',
  gst: 'Not sure yet? Leave it empty, and 18% GST will be added to the prices.',
  'edit-until':
    'Until this date, delegates can correct their own answers. A good choice is the day before badges are printed.',
  'on-site': 'At the registration desk, staff register delegates at the final price in the table.',
  account:
    'Enter the short name of the account, not the number of your bank account. Ask the person who runs your Rollcall server for the name.',
  colour: 'Choose any colour. Rollcall keeps the text on it readable.',
}
/** The colour of the file if none is chosen. */
const DEFAULT_COLOUR = '#2f5d8a'
/** Examples that differ from those shown by the command. */
const EXAMPLES: Readonly<Partial<Record<Question['name'], string>>> = {
  'edit-until': '5 March 2027',
  account: 'society',
  colour: '#2F5D8A',
}
const NO_TAX_HELP = 'Not sure yet? Leave it empty, and no tax will be charged.'
const DEFAULT_HELP =
  'Not sure yet? Leave it empty. The file will contain an example for you to replace.'
/** Returns true for questions whose answer has several lines. */
const hasSeveralLines = (name: Question['name']): boolean => name === 'categories'

/** Shows radio buttons for a question with a few possible answers, and a text field for any other question. */
export function AnswerField(props: AnswerFieldProps) {
  const { question, earlierAnswers, labelledBy, value, problem, onChange } = props
  const id = useId()
  const isGst = question.name === 'gst' && (earlierAnswers.currency ?? INR) === INR
  const options = isGst
    ? GST
    : question.name === 'free' || (question.name === 'companions' && earlierAnswers.free === true)
      ? YES_NO
      : question.name === 'on-site'
        ? ON_SITE
        : null
  const help = `${id}-help`
  const error = `${id}-error`
  const describedBy = problem === null ? help : `${error} ${help}`
  const example = question.example?.(earlierAnswers)
  const invalid = problem === null ? {} : { 'aria-invalid': true }
  return (
    <div className="org-answer">
      <p className="mute" id={help}>
        {options === null && example !== undefined && (
          <Example text={EXAMPLES[question.name] ?? example} />
        )}
        {question.name === 'gst' && !isGst ? NO_TAX_HELP : (HELP[question.name] ?? DEFAULT_HELP)}
      </p>
      {problem !== null && (
        <p className="org-error" id={error} role="alert">
          <Icon name="bang" />
          {problem}
        </p>
      )}
      {options !== null ? (
        <div
          role="radiogroup"
          aria-labelledby={labelledBy}
          aria-describedby={describedBy}
          {...invalid}
        >
          {options.map(([name, label]) => (
            <label key={name} className="org-radio">
              <input
                type="radio"
                name={id}
                checked={value === name}
                onChange={() => onChange(name)}
              />
              {label}
            </label>
          ))}
        </div>
      ) : hasSeveralLines(question.name) ? (
        <textarea
          rows={4}
          aria-labelledby={labelledBy}
          aria-describedby={describedBy}
          {...invalid}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      ) : question.name === 'colour' ? (
        <div className="org-colour">
          <input
            type="text"
            aria-labelledby={labelledBy}
            aria-describedby={describedBy}
            {...invalid}
            autoComplete="off"
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
          <input
            type="color"
            aria-label="Choose a colour"
            value={/^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : DEFAULT_COLOUR}
            onChange={({ target }) => onChange(target.value.toUpperCase())}
          />
        </div>
      ) : (
        <input
          type={question.name === 'support' ? 'email' : 'text'}
          aria-labelledby={labelledBy}
          aria-describedby={describedBy}
          {...invalid}
          autoComplete="off"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </div>
  )
}

/** Shows the command's example, with each entry on its own line. */
function Example({ text }: { readonly text: string }) {
  const entries = text.replace(/; or none$/, '').split('; ')
  if (entries.length === 1) return <>For example: {text}. </>
  return (
    <>
      One per line, for example:
      {entries.map((entry) => (
        <span key={entry} className="org-example">
          {entry}
        </span>
      ))}
    </>
  )
}
