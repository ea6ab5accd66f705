/** Keys that other form builders use, with Rollcall's equivalents. */
import { suggestCondition, suggestYesNo } from './condition-notations.ts'
import { parseSynonyms, normaliseWord, type SynonymList } from './foreign-word-list.ts'
import { SALE_KEY_SYNONYMS } from './keys-of-other-form-builders.ts'

const SHOW_SYNONYMS = `
  show_if showif visible_if visible_when visible_on visible display_if display_when display_on depends_on
  dependson depends dependency only_if only_when only_for if when condition conditions conditional relevant
  enabled_if enabled_when enable_if show showwhen appears_if appears_when hide_unless shown_if shown_when`
const PRICE_SYNONYMS =
  'price prices fee fees cost costs amount amounts charge charges rate rates tariff'
const FROM_SYNONYMS = `
  start starts start_date start_day startdate starts_on starting begin begins begin_date begins_on from_date
  date_from since valid_from from_day`
const TO_SYNONYMS = `
  end ends end_date end_day enddate ends_on ending until till upto up_to to_date date_to last_date last_day
  valid_to valid_till valid_until deadline cutoff finish finishes expires ends_at to_day`
const LABEL_SYNONYMS = `
  title name text caption question heading prompt display display_name displayname label_text header words`
const TITLE_SYNONYMS = 'name heading label caption header text'
const ID_SYNONYMS =
  'key code slug identifier field_id field_name fieldname variable var ref handle uid'
const PROSE_SYNONYMS =
  'description desc details detail note notes info information help explanation'

/**
 * Synonyms, keyed by a block's path, in the form: our key < their keys. An indented line continues the one above. A
 * sentence after `!` explains keys that have no equivalent in our files.
 */
const KEY_SYNONYMS: readonly (readonly [RegExp, string])[] = [
  [
    /^$/,
    `
format < version schema_version schema
event < conference congress meeting cme workshop details about general info basic basics
routes < pages urls url links addresses paths slugs
categories < types type tickets ticket_types delegate_types delegates category_list groups
  registration_categories classes
category < category_rules rules logic derive rule
fees < pricing price prices cost costs tariff tariffs rates rate amount amounts fee charges
form < fields questions registration_form sections inputs
order_id < order order_no order_number reg_no registration_number registration_id number
payment < gateway pay payment_gateway payments merchant
results < result after_payment result_pages thank_you outcome
email < mail e_mail confirmation confirmation_mail emails message
admin < office list lists dashboard backend reports
look < theme design style styles colours colors color colour branding brand logo
registration < opens closes window registrations registration_dates dates open_dates
examples < tests test cases example samples
allow < ignore silence exceptions disable suppress accept
demo < dummy placeholders stand_ins temporary temp
!this key belongs to event: write event: and this key below it, indented < title name venue location
  place from to start end support contact status id
!this key belongs to fees: write fees: and this key below it, indented < periods
`,
  ],
  [
    /^event$/,
    `
id < ${ID_SYNONYMS}
title < name event_name conference heading label caption conference_name full_name
theme < motto tagline slogan
about < description desc details detail summary subtitle info intro introduction organiser organizer host
from < ${FROM_SYNONYMS} date dates day on when opens
to < ${TO_SYNONYMS} closes
hours < time times timing timings schedule
venue < location place city address hall where site town hotel location_name
support < contact contact_email contact_us email mail e_mail helpdesk help enquiries enquiry queries
  contact_mail support_email
office < secretariat admin_email office_email organiser_email
status < state open is_open active published enabled live closed is_active
!the colour belongs to look: write look: {colour: "#1050AC"} < color colour theme_colour
!the picture belongs to look: write look: {colour: "#1050AC", logo: logo.png} < logo image banner picture
!the currency is stated at the top of the file: write currency: EUR above fees < currency
`,
  ],
  [
    /^categories\.\d+$/,
    `
id < ${ID_SYNONYMS}
label < ${LABEL_SYNONYMS}
about < ${PROSE_SYNONYMS} hint
colour < color background tint
expects: {is_member: true} < requires fits matches with
listed_only: true < list_only display_only only_listed show_only hidden price_list_only not_selectable
!prices belong in fees.prices: write a row named after the category, such as member: [1000, 1500] < ${PRICE_SYNONYMS}
!category.rules determine who gets a category: write - {when: {is_member: true}, then: member} < when if rule
  rules condition conditions for who criteria eligibility show_when
`,
  ],
  [
    /^category$/,
    `
chosen_in < field from_field picked_in chosen_by select selected_in chosen chosen_from choice picked selected by
rules < rule conditions when if derive logic cases
!the last of the rules covers the rest: write - {otherwise: member} < default otherwise else fallback
`,
  ],
  [
    /^category\.rules\.\d+$/,
    `
when < if condition conditions for who where case match matches criteria whenever elif elseif else_if and
then < category give gives is to result value assign set use category_id then_category gets
otherwise < else default other others rest everyone_else all_others fallback everybody_else all
`,
  ],
  [
    /^fees$/,
    `
prices < price cost costs amount amounts fee fees rate rates tariff tariffs table charges price_list pricing
periods < period slab slabs phases phase tiers tier dates windows deadlines stages
other_dates < default_period default otherwise fallback other outside else
overlap: first < overlaps overlapping
`,
  ],
  [
    /^fees\.(?:price_groups\.\d+\.)?periods\.\d+$/,
    `
id < ${ID_SYNONYMS}
label < ${LABEL_SYNONYMS}
from < ${FROM_SYNONYMS} opens
to < ${TO_SYNONYMS} closes
!prices belong in fees.prices, one column per period < ${PRICE_SYNONYMS}
`,
  ],
  [
    /^form$/,
    `
sections < pages groups blocks parts section tabs
!fields belong in sections: write sections: and below it - title: Your details with its fields: < fields
  questions inputs items
panel < info sidebar notes remarks instructions information box notice important
summary < total price_summary cart price pricing order_summary bill
notices < messages toasts alerts notifications notice_style
stepper < steps progress wizard
also_stored < hidden_fields hidden extra extras stored other_fields
failure < error error_message errors
`,
  ],
  [
    /^form\.sections\.\d+$/,
    `
title < ${TITLE_SYNONYMS}
fields < questions items inputs field elements controls
show_when < ${SHOW_SYNONYMS}
!write a remark in form.panel, or as the hint of a field < ${PROSE_SYNONYMS} hint
`,
  ],
  [
    /^form\.sections\.\d+(?:\.fields\.\d+)+$/,
    `
required: {when: {is_member: true}} < required_if required_when mandatory_if mandatory_when require_if
  required_for
required: true < mandatory compulsory is_required isrequired is_mandatory obligatory must reqd req require
  needed must_fill not_null notnull non_empty compulsary mandotory
!a field is hidden where its show_when is false: write show_when with the opposite, such as {is_member: {not: true}} < hide_when
  hide_if hidden_when hidden_if hidden hide
!an optional field has no required: remove this < optional is_optional nullable allow_blank allow_empty
  blank not_required
show_when < ${SHOW_SYNONYMS}
hint < ${PROSE_SYNONYMS} placeholder place_holder helptext help_text tooltip hint_text subtitle sub_label sublabel
  example instruction instructions
id < ${ID_SYNONYMS}
label < ${LABEL_SYNONYMS}
options < choices values items list enum answers alternatives option opts select dropdown one_of choose
type < kind field_type fieldtype datatype data_type input input_type control widget
as < style appearance display_as look ui shown_as render_as
default < default_value initial initial_value preset prefill value selected checked starts_with prefilled
required: the sentence that asks for it < message required_message required_text mandatory_message
invalid < error error_message errormessage invalid_message validation_message warning
max_length < maxlength max_chars max_characters length size limit maxlen max_len characters
min < minimum min_value minvalue lowest
max < maximum max_value maxvalue highest
accept < formats file_types filetypes extensions allowed allowed_types types mime file_type endings
max_mb < max_size maxsize size_mb max_file_size limit_mb mb filesize file_size
ignore_case: true < case_insensitive caseinsensitive
type: multiline < rows multiline textarea long lines
type: many < multiple multi multiselect multi_select allow_multiple many is_multiple select_multiple
  multi_choice allow_many
pattern < regex regexp reg_ex reg_exp regular_expression validation validate mask matches input_mask
pattern: ".{3,}" < min_length minlength min_chars min_characters
choose: {at_least: 1} < min_choices min_select min_selected min_selections minimum_choices min_options
  choose_at_least select_at_least
choose: {at_most: 2} < max_choices max_select max_selected max_selections maximum_choices max_options
  limit_choices selection_limit choose_up_to choose_at_most select_at_most
fields < questions sub_fields subfields inputs attributes properties of_each each_person
max < max_people max_persons max_guests max_count at_most up_to
min < min_people min_persons min_guests min_count at_least
from < min_date mindate earliest not_before first_day
to < max_date maxdate latest not_after last_day
unit < units suffix
link < href url document terms_url policy_url
version < revision edition text_version
in < roll lookup look_up on_roll register
!a field has no price: prices belong in fees.prices, one row per category < ${PRICE_SYNONYMS}
!a hidden field belongs in form.also_stored, or can be removed < hidden readonly read_only disabled
  editable
!remove this: every answer is a column of the list of registrations < column export searchable unique
`,
  ],
  [
    /\.choose$/,
    `
at_least < min minimum least min_choices minimum_choices from
at_most < max maximum most limit max_choices maximum_choices up_to upto to
mutually_exclusive < exclusive exclusives excludes exclude conflict conflicts conflicting apart never_together
  incompatible not_both either_or one_of_these not_with
message < say error text invalid hint help error_message reason
`,
  ],
  [
    /\.options\.\d+$/,
    `
id < ${ID_SYNONYMS} value val
label < ${LABEL_SYNONYMS}
!an option has no price: prices belong in fees.prices, one row per category < ${PRICE_SYNONYMS}
!an option has no hint: write it in the hint of the field < ${PROSE_SYNONYMS} hint
`,
  ],
  [
    /^form\.panel$/,
    `
title < name heading label caption header
lines < text items notes content points line body list message
`,
  ],
  [
    /^form\.summary$/,
    `
title < name heading label caption header
lines < show rows items fields line columns
button < submit submit_button pay action button_text
`,
  ],
  [
    /^routes$/,
    `
form < page url path register registration address home main slug link
success < done thanks thank_you thankyou ok paid succeeded on_success
failed < fail failure error cancel cancelled declined on_failure
also < aliases alias others other redirects
`,
  ],
  [
    /^payment$/,
    `
gateway < provider processor method via name type mode
account < merchant merchant_id mid credentials key secret account_id account_name
`,
  ],
  [
    /^order_id$/,
    `
prefix < starts_with begins begins_with start code initials pre
digits < length count size number_of_digits width
followed_by < suffix then rest after type
`,
  ],
  [
    /^registration$/,
    `
opens < ${FROM_SYNONYMS} open opening from
closes < ${TO_SYNONYMS} close closing to
desk < spot onspot on_spot spot_registration front_desk counter offline walk_in walkin
`,
  ],
  [
    /^results$/,
    `
success < ok thanks thank_you done succeeded paid on_success
failed < fail failure error cancelled declined on_failure
`,
  ],
  [
    /^results\.(success|failed)$/,
    `
title < name heading label caption header
intro < text message body description subtitle
details < rows fields show lines items values columns
reasons < causes why
notes < remarks bullets points
buttons < actions links button
`,
  ],
  [
    /\.details\.\d+$/,
    `
show < value field id key name_of
label < ${LABEL_SYNONYMS}
when < ${SHOW_SYNONYMS}
`,
  ],
  [
    /buttons\.\d+$/,
    `
label < ${LABEL_SYNONYMS}
go < to url link href route page target goto path
mail < email mailto subject
do < action onclick on_click type
`,
  ],
  [
    /^email$/,
    `
subject < title heading header
text < body message content html template
copy_to < cc bcc copy
!the email goes to the address given in the form: remove this < to from recipient sender
`,
  ],
  [
    /^admin\.lists\.\d+$/,
    `
title < name heading label caption
route < url path page address link
columns < fields show rows values
filters < filter search filter_by
page_size < rows_per_page per_page limit size pagesize
`,
  ],
  [
    /\.(?:when|show_when)\.(?:\d+\.)?[a-z][a-z0-9_]*$/,
    `
at_least < min gte ge minimum atleast not_below from_age >= => min_age no_less_than
at_most < max lte le maximum atmost upto up_to <= =< max_age no_more_than
above < gt > more_than over greater_than greater older_than exceeds more higher
below < lt < less_than under younger_than smaller_than less lower
not < ne neq != is_not isnt except not_in none_of excluding unless not_equal <> other_than
has < contains contain includes include including ticked chosen any_of_these
count: {at_least: 1} < length how_many number_of count_of
!write the value itself, such as {role: pg} < eq equals equal is = == value equal_to
!write a list, such as {role: [pg, faculty]} < in any any_of one_of either or oneof
!write {at_least: 60, at_most: 70} < between range
to < before till until
from < after since
answered: true < exists filled given present set not_empty notempty has_value known required
answered: false < empty blank missing unset not_answered
`,
  ],
]

const parsedKeys = [...KEY_SYNONYMS, ...SALE_KEY_SYNONYMS].map(([at, lines]) => ({
  at,
  synonyms: parseSynonyms(lines),
}))

type KeySuggestion = {
  /** Null if event files have no corresponding key. */ readonly key: string | null
  readonly help: string
}

/**
 * Returns the key that the author probably meant by an unknown key, with the help. Returns null if no suggestion is
 * known. `path` is the path of the block, `written` the value as written in the file, `block` the other keys of the
 * block.
 */
export function suggestKey(
  path: string,
  key: string,
  written: string | null = null,
  block: unknown = null,
): KeySuggestion | null {
  const word = normaliseWord(key)
  const synonyms: readonly SynonymList[] =
    parsedKeys.find(({ at }) => at.test(path))?.synonyms ?? []
  const ownKey = synonyms.find(({ foreignWords }) => foreignWords.includes(word))?.ownWord
  if (ownKey === undefined) return null
  if (ownKey.startsWith('!')) return { key: null, help: ownKey.slice(1) }
  if (ownKey === 'type: many' && written !== null && suggestYesNo(written) === 'false')
    return { key: null, help: 'a select has one answer: remove this' }
  if (ownKey === 'required: true' && written !== null && suggestYesNo(written) === 'false')
    return { key: null, help: 'an optional field has no required: remove this' }
  const boundKey = ownKey === 'max' ? 'at_most' : ownKey === 'min' ? 'at_least' : null
  if (boundKey !== null && hasType(block, 'many'))
    return { key: 'choose', help: `write choose: {${boundKey}: ${written ?? '2'}, message: …}` }
  const name = ownKey.replace(/:.*/, '')
  const isShort =
    written !== null && /^[^\n]+$/.test(written) && written.length <= MAX_QUOTED_CHARACTERS
  if (!isShort || ownKey !== name) return { key: name, help: `write ${ownKey}` }
  // If the block has no id, a name in the format of an id is treated as the id.
  if (name === 'label' && lacksKey(block, 'id') && /^[a-z][a-z0-9]*([_-][a-z0-9]+)*$/.test(written))
    return { key: 'id', help: `write id: ${written}` }
  if (/^(?:show_)?when$/.test(name) && !/^[{[]/.test(written))
    return {
      key: name,
      help: suggestCondition(readScalar(written), false, null).replace('write ', `write ${name}: `),
    }
  return { key: name, help: `write ${name}: ${written}` }
}
/** Values longer than this are not repeated in the message. */
const MAX_QUOTED_CHARACTERS = 60

const hasType = (block: unknown, type: string): boolean =>
  typeof block === 'object' && block !== null && 'type' in block && block.type === type
const lacksKey = (block: unknown, key: string): boolean =>
  typeof block === 'object' && block !== null && !Object.hasOwn(block, key)
const readScalar = (written: string): unknown =>
  written === 'true' ? true : written === 'false' ? false : written.replace(/^["'](.*)["']$/, '$1')
