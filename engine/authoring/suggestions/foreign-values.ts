/** Enumerated values that other form builders use, with Rollcall's equivalents. */
import { parseSynonyms, normaliseWord } from './foreign-word-list.ts'

const ONLY_TRUE = `
true < yes y on 1
!remove it: only true has an effect < no n false off 0
`

/** Synonyms, keyed by the value's key, in the form: our word < their words. A sentence after `!` is shown unchanged. */
const VALUE_SYNONYMS: Readonly<Record<string, string>> = {
  type: `
select, as: radio < radio radios radiobutton radio_button radiobuttons radio_buttons single_choice
  multiple_choice mcq buttons
select < dropdown drop_down combo combobox list listbox choice choices option options picklist pick_list
  menu enum select_one selectone selection lookup autocomplete single_select category categories gender
  state country
many < checkboxes check_boxes checkbox_group checkbox_list multiselect multi_select multiple_select
  select_multiple select_many multiple multiple_choices choose_multiple checklist check_list tags multi
  tickboxes tick_boxes multi_choice picture_choice multiple_checkboxes
people < persons person companion companions guest guests attendees members participants group repeat
  repeater repeating subform sub_form form_list list_of_people array object table matrix family
  accompanying accompanying_person accompanying_persons
consent < agree agreed agreement accept acceptance terms terms_and_conditions t&c tos gdpr legal privacy
  declaration waiver disclaimer undertaking opt_in
yes-no < checkbox check_box check tick tickbox boolean bool toggle switch yesno yes_no yes/no y/n yn
  true/false true_false binary flag yes logical
phone < mobile tel telephone phone_number phonenumber cell cellphone contact whatsapp mobile_number
  mobile_no phone_no contact_number landline
multiline < textarea text_area longtext long_text paragraph memo comment comments multi_line long big
  address notes note remarks richtext text_long longanswer long_answer
text < string str varchar char input shorttext short_text short single_line singleline line name
  alphanumeric textbox text_box url link website password time word words free_text freetext short_answer
  plain
number < int integer numeric num decimal float double count quantity qty age digits digit amount money
  currency numbers rupees year counter
date < datetime date_time calendar day dob datepicker date_picker birthday birthdate date_of_birth dates
file < upload attachment document doc image photo picture pdf fileupload file_upload attach uploads files
  certificate proof scan
email < mail e_mail email_address emailid email_id mail_id emailaddress
!a heading is the title of a section: write - title: with its fields below < section heading header title
  label info html divider separator static
!a hidden field belongs in form.also_stored, or can be removed < hidden computed calculated formula
`,
  as: `
radio < radios radiobutton radio_button radiobuttons radio_buttons buttons cards pills tabs list
dropdown < select drop_down combo combobox menu listbox picklist
switch < checkbox check_box toggle tick tickbox slider
`,
  status: `
open < active live yes on true enabled published running started ongoing opened available opening
closed < inactive off no false over close done finished ended disabled stopped draft coming_soon soon full
  sold_out archived past not_open not_yet
`,
  notices: `
toast < toasts popup pop_up alert alerts banner
snackbar < snackbars bar bottom none
`,
  on_duplicate: `
block < reject refuse deny stop error forbid no never disallow
warn < ask confirm allow warning notify hint yes
`,
  overlap: 'first < yes true ok allow allowed on earlier earliest',
  followed_by: `
digits < numbers number numeric digit random serial counter sequence integer
anything < any text letters alphanumeric characters free all
`,
  copy_to: 'office < admin organiser organizer secretary secretariat yes true us',
  do: `
receipt < download pdf download_receipt invoice
print < print_page printing printout
`,
  listed_only: ONLY_TRUE,
  ignore_case: ONLY_TRUE,
  check: `
false < no n off 0 none never
!remove it: addresses and numbers are checked unless it is \`false\` < yes y true on 1 always
`,
}

const synonymsByKey = new Map(
  Object.entries(VALUE_SYNONYMS).map(([key, lines]) => [key, parseSynonyms(lines)]),
)

/**
 * Returns the help for an enumerated value. Returns null if the value is not recognised. `siblings` is the block that
 * contains the key. Includes a fix if only the separator or the case of the word is different.
 */
export function suggestValue(
  key: string,
  value: unknown,
  siblings: unknown = null,
  span: readonly [number, number] | null = null,
): {
  readonly help: string
  readonly fix?: { readonly start: number; readonly end: number; readonly text: string }
} | null {
  const word = normaliseWord(String(value))
  const knownWord = synonymsByKey
    .get(key)
    ?.find(({ foreignWords }) => foreignWords.includes(word))?.ownWord
  if (knownWord === undefined) return null
  if (knownWord.startsWith('!')) return { help: knownWord.slice(1) }
  // Other form builders use the same word for a checkbox, a group of checkboxes and a consent box.
  const ownWord =
    key === 'type' && knownWord === 'yes-no' ? suggestCheckboxType(siblings) : knownWord
  const help = `write ${key}: ${ownWord}`
  return span !== null && removeSeparators(ownWord) === removeSeparators(word)
    ? { help, fix: { start: span[0], end: span[1], text: ownWord } }
    : { help }
}

const removeSeparators = (word: string): string => word.replaceAll(/[\s_/-]/g, '')

function suggestCheckboxType(field: unknown): string {
  const { options, choices, label } = (field ?? {}) as Readonly<Record<string, unknown>>
  if (Array.isArray(options ?? choices)) return 'many'
  return typeof label === 'string' && /\b(?:agree|accept|consent|declare|terms)\b/i.test(label)
    ? 'consent'
    : 'yes-no'
}
