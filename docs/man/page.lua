-- SPDX-License-Identifier: GPL-2.0-or-later
-- page.lua - for pandoc: the Markdown of a page as manual pages have it. What a quote explains becomes a tagged paragraph, and so
-- does each row of a table; code is bold.

local function explains(line, blocks)
	return pandoc.DefinitionList({ { line, { blocks } } })
end

local function inlines_of(cell)
	return pandoc.utils.blocks_to_inlines(cell)
end

function Code(code)
	return pandoc.Strong({ pandoc.Str(code.text) })
end

function Link(link)
	return link.content
end

-- "key (type)", and what it is; the headings of such columns say nothing more.
function Table(whole)
	local rows = {}
	for _, cells in ipairs(pandoc.utils.to_simple_table(whole).rows) do
		local term = inlines_of(cells[1])
		if #cells > 2 then
			term:extend({ pandoc.Space(), pandoc.Str("(") })
			term:extend(inlines_of(cells[2]))
			term:insert(pandoc.Str(")"))
		end
		table.insert(rows, { term, { #cells > 1 and cells[#cells] or {} } })
	end
	return pandoc.DefinitionList(rows)
end

function Blocks(blocks)
	local result = pandoc.List()
	for _, block in ipairs(blocks) do
		local last = result[#result]
		if block.t == "BlockQuote" and last and last.t == "Para" then
			result[#result] = explains(last.content, block.content)
		elseif block.t == "Header" and block.level > 1 then
			block.level = block.level - 1
			result:insert(block)
		elseif not (block.t == "Header" or block.t == "RawBlock") then
			result:insert(block)
		end
	end
	return result
end
