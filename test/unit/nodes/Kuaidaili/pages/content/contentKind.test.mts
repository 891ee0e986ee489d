import {
	bodyContentOf,
	type ContentKind,
} from '../../../../../../nodes/Kuaidaili/pages/content/contentKind.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const HTML = '<!doctype html><p>words';
const RSS = '<?xml version="1.0"?><rss><channel/></rss>';
const GBK = Buffer.from('d0a1d1a7bacdd6d0d1a7', 'hex');

it.each<[string, string | Buffer, ContentKind, 'download' | '']>([
	// By its type
	['application/json', '{}', 'json', ''],
	['text/x-json; charset=utf-8', '[]', 'json', ''],
	['application/ld+json', '{}', 'json', ''],
	['application/vnd.api+json', '{}', 'json', ''],
	['application/json', '<p>words', 'json', ''],
	['text/html', HTML, 'html', ''],
	['text/html', 'words', 'html', ''],
	['application/xhtml+xml', '<html><p/></html>', 'html', ''],
	['application/xml', '<list/>', 'xml', ''],
	['image/svg+xml', '<svg/>', 'xml', ''],
	['application/rss+xml', RSS, 'xml', ''],
	['text/plain', 'words', 'text', ''],
	['application/javascript', 'a()', 'text', ''],
	['application/x-ndjson', '{}\n{}', 'text', ''],
	['image/png', PNG, 'file', 'download'],
	['image/png', 'words', 'file', 'download'],
	['application/pdf', '%PDF-1.7', 'file', 'download'],
	['application/msword', 'words', 'text', 'download'],
	['application/octet-stream', 'words', 'text', 'download'],
	['application/octet-stream', 'a\0b', 'file', 'download'],

	// By how it begins, whatever its type says
	['text/html', PNG, 'file', 'download'],
	['text/plain', '%PDF-1.7', 'file', 'download'],
	['text/html', '{"a":1}', 'text', ''],
	['text/html', '[1, 2]\n', 'text', ''],
	['text/html', '[a list] of words', 'html', ''],
	['text/html', '{{ title }}<p>words', 'html', ''],
	['text/html', '{"a":1}<!-- 3 ms -->', 'html', ''],
	['text/html', RSS, 'xml', ''],
	['text/plain', HTML, 'html', ''],
	['text/plain', RSS, 'xml', ''],
	['text/plain', '<feed xmlns="http://www.w3.org/2005/Atom"/>', 'xml', ''],
	['text/xml', '<html><p>words</p></html>', 'html', ''],
	['application/xml', '<!-- a --><?b?><!DOCTYPE c [<!ENTITY d "e">]><f/>', 'xml', ''],

	// Without a type, or with what is none
	['', HTML, 'html', ''],
	['', RSS, 'xml', ''],
	['', 'words', 'text', ''],
	['', PNG, 'file', 'download'],
	['', '', 'text', ''],
	['html', HTML, 'html', ''],
	['html', GBK, 'text', ''],
	['*', '{}', 'text', ''],

	// The last of several
	['text/html, application/json', '{}', 'json', ''],
	['application/json; charset=utf-8, text/html', HTML, 'html', ''],
	['text/html, html', HTML, 'html', ''],

	// Types that nobody knows
	['application/x-unknown', 'some words', 'text', ''],
	['application/x-unknown', 'a\x01b', 'file', 'download'],
	['application/x-unknown', GBK, 'file', 'download'],
	['application/x-unknown', '中'.repeat(2000), 'text', ''],
	['image/png', '', 'text', 'download'],
	['image/png', 'x', 'file', 'download'],

	// NULs
	['text/html', '<p>\0\x01', 'html', ''],
	['application/json', '{}\0', 'json', ''],
	['text/plain', 'words\0', 'text', ''],
	['text/plain', 'MZ\0\x01', 'file', 'download'],
	['text/plain; charset=utf-16le', Buffer.from('words', 'utf16le'), 'text', ''],
	['', Buffer.from('\ufeffwords', 'utf16le'), 'text', ''],
	['', Buffer.from('\ufeff一、二', 'utf16le'), 'text', ''],
	['text/plain; charset=utf-16le', Buffer.from('一、二', 'utf16le'), 'text', ''],
])('%s, as %j, is %s %s', (type, body, kind, download) => {
	const content = bodyContentOf(Buffer.from(body), type);
	expect([content.kind, content.isDownload]).toEqual([kind, download !== '']);
});

it.each([
	['Text/HTML; charset=x', 'text/html'],
	['text/html;a, image/png', 'image/png'],
	['html', ''],
	['', ''],
	[`a/b, ${'c'.repeat(2000)}/d`, 'a/b'],
])('of %s, the media type is %s', (type, mediaType) => {
	expect(bodyContentOf(Buffer.from('x'), type).mediaType).toBe(mediaType);
});
