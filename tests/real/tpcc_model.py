"""TPC-C once more, as plainly as can be: the data as dictionaries, a transaction as a few lines.

The inputs are read from the server's log, where mode functions and the simple protocol leave each
call with all its values. Money is a whole number of hundredths.
"""

import re

CALL = re.compile(r"statement: SELECT (?:\* FROM )?tpcc_(\w+?)(\d+)\((.*)\)$")
VALUE = re.compile(r"'\{([\d,]*)\}'(?:::integer\[\])?|'([^']*)'(?:::\w+)?|(-?\d+)(?:::\w+)?")
ROLLED_BACK = 100001


def hundredths(words):
    sign, digits = (-1, words[1:]) if words.startswith('-') else (1, words)
    whole, _, rest = digits.partition('.')
    return sign * (int(whole) * 100 + int((rest + '00')[:2]))


def calls(log):
    """(name, values) of each call in the server's log, in order."""
    found = []
    for line in log.splitlines():
        match = CALL.search(line)
        if match:
            values = []
            for array, text, number in VALUE.findall(match.group(3)):
                if number:
                    values.append(int(number))
                elif array or not text and "'{}'" in match.group(3):
                    values.append([int(word) for word in array.split(',')])
                else:
                    values.append(text)
            found.append((match.group(1), values))
    return found


class Model:
    """One set of tables. `ask` is a function from SQL to rows of strings."""

    def __init__(self, ask):
        self.warehouses = {int(w): [name, hundredths(ytd)] for w, name, ytd in
                           ask('SELECT w_id, w_name, w_ytd FROM warehouse1')}
        self.districts = {(int(w), int(d)): [name, hundredths(ytd), int(after)]
                          for w, d, name, ytd, after in ask(
                              'SELECT d_w_id, d_id, d_name, d_ytd, d_next_o_id FROM district1')}
        self.customers, self.by_name = {}, {}
        for w, d, c, first, last, credit, *numbers, data in ask(
                'SELECT c_w_id, c_d_id, c_id, c_first, c_last, c_credit, c_balance, c_ytd_payment,'
                ' c_payment_cnt, c_delivery_cnt, c_data FROM customer1'):
            key = int(w), int(d), int(c)
            self.customers[key] = [credit, hundredths(numbers[0]), hundredths(numbers[1]),
                                   int(numbers[2]), int(numbers[3]), data]
            self.by_name.setdefault((key[0], key[1], last), []).append((first, key[2]))
        self.items = {int(i): hundredths(price) for i, price in ask('SELECT i_id, i_price FROM item1')}
        self.stocks = {(int(w), int(i)): [int(quantity), 0, 0, 0] for w, i, quantity in
                       ask('SELECT s_w_id, s_i_id, s_quantity FROM stock1')}
        self.orders, self.lines, self.waiting, self.history = {}, {}, {}, []
        for w, d, o, c in ask('SELECT o_w_id, o_d_id, o_id, o_c_id FROM orders1'
                              ' WHERE o_carrier_id IS NULL ORDER BY 1, 2, 3'):
            key = int(w), int(d), int(o)
            self.orders[key] = [int(c), None, None, None]
            self.lines[key] = []
            self.waiting.setdefault(key[:2], []).append(key[2])
        for w, d, o, amount in ask('SELECT ol_w_id, ol_d_id, ol_o_id, ol_amount FROM order_line1'
                                   ' WHERE ol_delivery_d IS NULL'):
            self.lines[int(w), int(d), int(o)].append(hundredths(amount))
        self.entered = {}  # lines of orders that were entered here
        self.counts = dict.fromkeys(['new_order', 'rolled_back', 'lines', 'remote_lines', 'payment',
                                     'remote_payments', 'by_name', 'order_status', 'delivery',
                                     'delivered', 'skipped', 'stock_level'], 0)

    def apply(self, name, values):
        self.counts[name] += 1
        getattr(self, name)(*values)

    def new_order(self, w, d, c, items, suppliers, quantities, _):
        self.counts['lines'] += len(items)
        self.counts['remote_lines'] += sum(supplier != w for supplier in suppliers)
        if ROLLED_BACK in items:
            self.counts['rolled_back'] += 1
            return
        district = self.districts[w, d]
        key = w, d, district[2]
        district[2] += 1
        self.orders[key] = [c, None, len(items), int(all(s == w for s in suppliers))]
        self.waiting.setdefault((w, d), []).append(key[2])
        self.lines[key], self.entered[key] = [], []
        for number, (item, supplier, quantity) in enumerate(zip(items, suppliers, quantities), 1):
            stock = self.stocks[supplier, item]
            stock[0] = stock[0] - quantity if stock[0] >= quantity + 10 else stock[0] - quantity + 91
            stock[1] += quantity
            stock[2] += 1
            stock[3] += supplier != w
            amount = quantity * self.items[item]
            self.lines[key].append(amount)
            self.entered[key].append((number, item, supplier, quantity, amount))

    def payment(self, w, d, c_w, c_d, c, last, amount):
        self.counts['remote_payments'] += c_w != w
        if c == 0:
            self.counts['by_name'] += 1
            same = sorted(self.by_name[c_w, c_d, last])
            c = same[(len(same) + 1) // 2 - 1][1]
        warehouse, district = self.warehouses[w], self.districts[w, d]
        warehouse[1] += amount
        district[1] += amount
        customer = self.customers[c_w, c_d, c]
        customer[1] -= amount
        customer[2] += amount
        customer[3] += 1
        if customer[0] == 'BC':
            customer[5] = (f'{c} {c_d} {c_w} {d} {w} {amount // 100}.{amount % 100:02}|'
                           + customer[5])[:500]
        self.history.append((c_w, c_d, c, w, d, amount, warehouse[0] + '    ' + district[0]))

    def order_status(self, *_):
        pass

    def stock_level(self, *_):
        pass

    def delivery(self, w, carrier):
        for d in range(1, 11):
            if not self.waiting.get((w, d)):
                self.counts['skipped'] += 1
                continue
            self.counts['delivered'] += 1
            order = self.waiting[w, d].pop(0)
            self.orders[w, d, order][1] = carrier
            customer = self.customers[w, d, self.orders[w, d, order][0]]
            customer[1] += sum(self.lines[w, d, order])
            customer[4] += 1

    def differences(self, ask):
        """Holds itself against the database; what differs, a few of each."""
        found = []

        def compare(what, mine, theirs):
            if mine != theirs:
                keys = set(mine) | set(theirs)
                wrong = [(key, mine.get(key), theirs.get(key)) for key in keys
                         if mine.get(key) != theirs.get(key)]
                found.append((what, len(wrong), wrong[:3]))

        other = Model.__new__(Model)
        other.__init__(ask)
        compare('warehouses', self.warehouses, other.warehouses)
        compare('districts', self.districts, other.districts)
        compare('customers', self.customers, other.customers)
        compare('new orders', {key: orders for key, orders in self.waiting.items() if orders},
                {key: orders for key, orders in (
                    ((int(w), int(d)), [int(o) for o in list_of.split(' ')]) for w, d, list_of in ask(
                        "SELECT no_w_id, no_d_id, string_agg(no_o_id::text, ' ' ORDER BY no_o_id)"
                        ' FROM new_orders1 GROUP BY 1, 2'))})
        compare('stock', self.stocks, {
            (int(w), int(i)): [int(number) for number in numbers] for w, i, *numbers in
            ask('SELECT s_w_id, s_i_id, s_quantity, s_ytd, s_order_cnt, s_remote_cnt FROM stock1')})
        mine = {key: order for key, order in self.orders.items() if key in self.entered}
        compare('orders', mine, {
            (int(w), int(d), int(o)): [int(c), int(carrier) if carrier else None, int(count), int(local)]
            for w, d, o, c, carrier, count, local in ask(
                'SELECT o_w_id, o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt, o_all_local FROM orders1'
                ' WHERE o_id > 3000')})
        compare('carriers', {key: order[1] for key, order in self.orders.items()}, {
            (int(w), int(d), int(o)): int(carrier) if carrier else None for w, d, o, carrier in ask(
                'SELECT o_w_id, o_d_id, o_id, o_carrier_id FROM orders1 WHERE o_id > 2100')})
        theirs = {}
        for w, d, o, *rest, amount in ask(
                'SELECT ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity,'
                ' ol_amount FROM order_line1 WHERE ol_o_id > 3000 ORDER BY 1, 2, 3, 4'):
            theirs.setdefault((int(w), int(d), int(o)), []).append(
                (*map(int, rest), hundredths(amount)))
        compare('order lines', self.entered, theirs)
        theirs = [(*map(int, row[:5]), hundredths(row[5]), row[6]) for row in ask(
            'SELECT h_c_w_id, h_c_d_id, h_c_id, h_w_id, h_d_id, h_amount, h_data FROM history1'
            " WHERE h_date > '2026-01-01'")]
        if sorted(theirs) != sorted(self.history):
            found.append(('history', len(self.history), len(theirs)))
        wrong = ask('SELECT count(*) FROM orders1 JOIN order_line1 ON ol_w_id = o_w_id AND ol_d_id ='
                    ' o_d_id AND ol_o_id = o_id JOIN stock1 ON s_w_id = ol_supply_w_id AND s_i_id ='
                    ' ol_i_id WHERE o_id > 3000 AND ol_dist_info <> (ARRAY[s_dist_01, s_dist_02,'
                    ' s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09,'
                    ' s_dist_10])[ol_d_id]')
        if wrong != [('0',)]:
            found.append(('dist_info', wrong))
        return found
